// A lock is put together from ways to take a key, to read a clock, to work with a number and to
// act on what is compared with it.
#include "tests/checker/random_timed_lock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

namespace {

using Texts = std::vector<std::string>;

/// Random choices that are the same on every machine.
class Chances {
 public:
  Chances(std::uint32_t seed, std::int64_t unit_ms, bool rounds, bool absolute)
      : engine_(seed),
        unit_ms_(unit_ms),
        rounds_(rounds),
        absolute_(absolute),
        small_(!one_in(3)),
        sound_(small_ && one_in(2)) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(most - least + 1));
  }
  /// A duration.
  std::int64_t ms(std::int64_t least, std::int64_t most) { return from(least, most) * unit_ms_; }
  bool one_in(std::int64_t count) { return from(1, count) == 1; }
  bool rounds() const { return rounds_; }
  bool absolute() const { return absolute_; }  ///< whether anything looks at absolute time
  /// Whether what it is for has few statements, tasks and operations: most of what goes wrong needs
  /// no more, and both explorers come to the end of it.
  bool small() const { return small_; }
  /// Whether it takes and gives back as one should: what goes wrong is then a matter of time.
  bool sound() const { return sound_; }
  std::int64_t unit_ms() const { return unit_ms_; }
  const std::string& of(const Texts& choices) {
    return choices[static_cast<std::size_t>(
        from(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
  std::int64_t unit_ms_;
  bool rounds_, absolute_, small_, sound_;
};

/// What every protocol may use. A script answers with a number of milliseconds.
const char* const kHelpers = R"(
local function server_ms()
  local t = redis("TIME")
  return tonumber(t[1]) * 1000 + tonumber(t[2]) // 1000
end
local function stored(key) return tonumber(redis("GET", key) or 0) or 0 end
local function noted(field) return tonumber(redis("HGET", "times", field) or 0) or 0 end
local function ask(key, script, ...) return redis("EVAL", ms .. script, 1, key, ...) end
)";

const char* const kTimeOfNode =
    "local ms = \"local t = redis.call('TIME') local ms = t[1] * 1000 + math.floor(t[2] / 1000) \"";

const char* const kNothingMarked = R"(
invariant("nothing is marked", function(world)
  for _, client in ipairs(world.clients) do
    if (client.locks["lock"] or {}).saw then return false end
  end
  return true
end)
)";

/// The same with the times that are noted in seconds with a fraction, as Python writes them.
std::string with_seconds(std::string text) {
  const auto put = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  put("return tonumber(redis(\"HGET\", \"times\", field) or 0) or 0",
      "return math.floor((tonumber(redis(\"HGET\", \"times\", field) or 0) or 0) * 1000 + 0.5)");
  for (const std::string field : {"a", "b"}) {
    for (const std::string time : {"millis(now())", "server_ms()"})
      put(fmt::format("redis('HSET', 'times', '{}', {})", field, time),
          fmt::format("redis('HSET', 'times', '{}', {} / 1000)", field, time));
    put(fmt::format("redis.call('hset', 'times', '{}', ms)", field),
        fmt::format("redis.call('hset', 'times', '{}', ms / 1000)", field));
    put(fmt::format("(redis.call('hget', 'times', '{}') or 0)", field),
        fmt::format("math.floor((redis.call('hget', 'times', '{}') or 0) * 1000 + 0.5)", field));
  }
  return text;
}

/// Without what is assigned and never read: a clock that is always looked at hides that another
/// one is not.
std::string without_unread(std::string text) {
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const std::string name :
       {"self.heard", "self.taken", "self.asked", "self.since", "start", "began"}) {
    std::vector<std::string> lines;
    std::size_t read = count(name);
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
      const bool sets = line.starts_with(name + " = ") || line.starts_with("local " + name + " = ");
      if (sets) read -= line.find("= " + name + " or") == std::string::npos ? 1 : 2;
      lines.push_back(line);
    }
    if (read > 0) continue;
    std::erase_if(lines, [&](const std::string& line) {
      return line.starts_with(name + " = ") || line.starts_with("local " + name + " = ");
    });
    text = fmt::format("{}\n", fmt::join(lines, "\n"));
  }
  return text;
}

/// Writes acquire() and release(). In both, `start` is an instant of the monotonic clock, `began`
/// one of the wall clock, `server` the node's time then; `self.since` is the first `start` ever,
/// and `self.taken` when the lock was last asked for. On the wall clock `self.asked` is that, too,
/// `self.heard` when there was an answer; `self.asked_ms` and `self.ends_ms` are absolute times.
class Writer {
 public:
  /// `marks`: what comparisons say is marked, and an invariant says that nothing ever is.
  Writer(Chances& dice, std::int64_t lease_ms, bool marks = false)
      : dice_(dice),
        lease_ms_(lease_ms),
        marks_(marks),
        coarse_(dice.one_in(2)),
        asks_server_(dice.absolute() && dice.one_in(5)) {}
  std::string protocol();

 private:
  std::string number(std::int64_t least, std::int64_t most);
  std::string nap(std::int64_t least, std::int64_t most);
  std::string reading();
  std::string worked_out(const std::string& number);
  std::string comparison();
  std::string script_comparison();
  std::string mark();
  std::string statement();
  std::string statements(std::int64_t most);
  std::string taking();
  std::string heard();
  std::string listing();
  std::string prolonging();
  std::string script_taking();
  std::string acquire();
  std::string release();
  std::string keeping();
  std::string op() { return dice_.of({"<", "<=", ">", ">="}); }

  Chances& dice_;
  std::int64_t lease_ms_;
  /// Longer than all else: what timers have in common is then no grid that has every instant.
  static constexpr std::int64_t kCoarse = 12;
  bool marks_;
  bool coarse_;              ///< whether the program waits for multiples of that alone
  bool asks_server_;         ///< whether it looks at no clock but the node's, by TIME
  bool server_ = false;      ///< whether the node's time is read at the start
  bool times_kept_ = false;  ///< whether absolute times are kept
};

/// A duration: as it is, or worked out.
std::string Writer::number(std::int64_t least, std::int64_t most) {
  const auto whole = dice_.from(least, most);
  const auto part = dice_.from(2, 4);
  switch (dice_.from(0, dice_.rounds() ? 8 : 5)) {
    case 0:
      return fmt::format("{} * {}", whole, dice_.unit_ms());
    case 1:
      return fmt::format("self.ttl_ms * {} // {}", whole * dice_.unit_ms(), lease_ms_);
    case 2:
      return fmt::format("self.ttl_ms + {}", whole * dice_.unit_ms());
    case 6:
      return fmt::format("math.max(self.ttl_ms // {}, 1)", part);
    case 7:
      return fmt::format("math.ceil(self.ttl_ms / {})", part);
    case 8:
      return fmt::format("(self.ttl_ms * {} + {}) // {} + 1", part - 1, whole, part);
    default:
      return fmt::format("{}", whole * dice_.unit_ms());
  }
}

/// Milliseconds that came from a clock.
std::string Writer::reading() {
  if (asks_server_) {
    server_ = true;
    return dice_.one_in(4) ? "redis('PTTL', self.key)" : "(server_ms() - server)";
  }
  switch (dice_.from(0, dice_.absolute() ? 19 : 16)) {
    case 0:
    case 1:
      return "(monotonic() - start)";
    case 2:
    case 3:
      return "(now() - began)";
    case 4:
    case 5:
      return "redis('PTTL', self.key)";
    case 6:
      return "(monotonic() - self.since)";
    case 7:
      if (!dice_.absolute()) return "(monotonic() - start)";
      return "(millis(now()) - stored(self.key))";
    case 8:
      if (!dice_.absolute()) return "redis('PTTL', self.key)";
      server_ = true;
      return "(server_ms() - server)";
    case 9:
      return dice_.one_in(2) ? "ask(self.key, \"return redis.call('pttl', KEYS[1])\")"
                             : "ask(self.key, \"return redis.call('pttl', KEYS[1] .. ':beside')\")";
    case 10:
      if (!dice_.absolute()) return "(now() - began)";
      return "ask(self.key, \"return ms - (tonumber(redis.call('get', KEYS[1]) or 0) or 0)\")";
    case 11:
      return dice_.rounds() ? "redis('TTL', self.key)" : "(monotonic() - self.taken)";
    case 12:
      return "(self.heard - self.asked)";
    case 13:
      return "(now() - self.heard)";
    case 14:
      if (!dice_.absolute()) return "(self.heard - self.asked)";
      times_kept_ = true;
      return dice_.of(
          {"(millis(self.heard) - self.asked_ms)", "(millis(now()) - millis(self.heard))"});
    case 15:
      if (!dice_.absolute()) return "(began - self.heard)";
      times_kept_ = true;
      return dice_.of({"(self.ends_ms - millis(now()))", "(self.ends_ms - self.asked_ms)"});
    case 17:
      return "(noted('a') - noted('b'))";
    case 18:
      return dice_.of({"(noted('b') - millis(now()))", "(server_ms() - noted('a'))"});
    case 19:
      server_ = true;
      return "(server_ms() - server)";
    default:
      return "(monotonic() - self.taken)";
  }
}

/// How long the program waits.
std::string Writer::nap(std::int64_t least, std::int64_t most) {
  if (!coarse_) return number(least, most);
  return std::to_string(kCoarse * dice_.ms(1, 2));
}

std::string Writer::worked_out(const std::string& number) {
  switch (dice_.from(0, dice_.rounds() ? 8 : 5)) {
    case 0:
      return number + " * 2";
    case 1:
      return "self.ttl_ms - " + number;
    case 2:
      return fmt::format("math.min({}, {})", number, dice_.ms(1, 12));
    case 6:
      return number + " // 3";
    case 7:
      return number + " % 5";
    case 8:
      return "math.floor(" + number + " * 0.7 + 0.5)";
    default:
      return number;
  }
}

std::string Writer::comparison() {
  const auto read = worked_out(reading());
  const auto text = fmt::format("{} {} {}", read, op(), number(1, 12));
  if (!dice_.one_in(4)) return text;
  return fmt::format("({}) {} {}", text, dice_.of({"and", "or"}),
                     fmt::format("{} {} {}", reading(), op(), number(1, 12)));
}

/// The same in a script: `ms` is the node's time.
std::string Writer::script_comparison() {
  const Texts readings{"redis.call('pttl', KEYS[1])",
                       "ms - (tonumber(redis.call('get', KEYS[1]) or 0) or 0)",
                       "(redis.call('hget', 'times', 'a') or 0) - "
                       "(redis.call('hget', 'times', 'b') or 0)"};
  auto read = dice_.absolute() && !asks_server_ ? dice_.of(readings) : readings[0];
  if (dice_.one_in(3)) read = "(" + read + ") * 2";
  if (dice_.one_in(3) && dice_.rounds()) read = "math.floor((" + read + ") / 3)";
  return fmt::format("{} {} {}", read, op(), dice_.ms(1, 12));
}

/// Seen by the invariant: that a clock can show something, now or both before and after something
/// else.
std::string Writer::mark() {
  const auto seen = [&] {
    return fmt::format("({} {} {})", reading(), dice_.one_in(4) ? "==" : op(), number(1, 20));
  };
  const auto first = seen();
  switch (dice_.from(0, 3)) {
    case 0:
      return "if " + first + " then self.saw = true end\n";
    case 1:
      return "do local before = " + first + "\n" + statement() + "if before and " + seen() +
             " then self.saw = true end end\n";
    default:
      return "if " + first + " and " + seen() + " then self.saw = true end\n";
  }
}

std::string Writer::statement() {
  if (marks_ && dice_.one_in(3)) return mark();
  switch (dice_.from(0, dice_.absolute() && !asks_server_ ? 11 : 9)) {
    case 0:
      return "if " + comparison() + " then return true end\n";
    case 1:
    case 2:
      return "if " + comparison() + " then return false end\n";
    case 3:
      return "if " + comparison() + " then redis('DEL', self.key) end\n";
    case 4:
      return "if " + comparison() + " then redis('PEXPIRE', self.key, " + number(1, 12) + ") end\n";
    case 5:
      return fmt::format("sleep(math.max({}, {} - {}))\n", coarse_ ? kCoarse * dice_.unit_ms() : 1,
                         number(1, 8), reading());
    case 6:
      return "start = monotonic()\n";
    case 7:
      return fmt::format(
          "if ask(self.key, \"if {} then return 1 end return 0\") == 1 then return {} end\n",
          script_comparison(), dice_.of({"true", "false"}));
    case 8:
      return "if " + comparison() + " then sleep(" + nap(1, 6) + ") end\n";
    case 10:
      return fmt::format("redis('HSET', 'times', '{}', {})\n", dice_.of({"a", "b"}),
                         dice_.of({"millis(now())", "server_ms()"}));
    case 11:
      return fmt::format("ask(self.key, \"redis.call('hset', 'times', '{}', ms)\")\n",
                         dice_.of({"a", "b"}));
    default:
      if (dice_.one_in(4))
        return "ask(self.key, \"redis.call('set', KEYS[1] .. ':beside', 1, 'px', \" .. (" +
               number(1, 12) + ") .. \")\")\n";
      if (dice_.one_in(3)) return "ask(self.key, \"" + prolonging() + "\")\n";
      return "sleep(" + nap(1, 8) + ")\n";
  }
}

std::string Writer::statements(std::int64_t most) {
  std::string text;
  for (auto count = dice_.from(0, dice_.small() ? most / 2 : most); count > 0; --count)
    text += statement();
  return text;
}

/// Sets the local variable `mine`.
std::string Writer::taking() {
  const auto lifetime =
      !dice_.sound() && dice_.one_in(3) ? number(1, 12) : std::string("self.ttl_ms");
  const bool any = dice_.absolute() && !asks_server_;
  switch (dice_.sound() ? 5 : any ? dice_.from(0, 8) : 5 * dice_.from(0, 1)) {
    case 0:
      return "local mine = redis('SETNX', self.key, self.token) == 1\n"
             "if mine then redis('PEXPIRE', self.key, " +
             lifetime + ") end\n";
    case 1:
      return "local ends = millis(now()) + " + number(0, 12) +
             "\nlocal mine = redis('SETNX', self.key, ends) == 1\nif not mine then\n"
             "local old = redis('GET', self.key)\nif old and tonumber(old) + " +
             number(0, 4) +
             " < millis(now()) then mine = redis('GETSET', self.key, ends) == old end\nend\n";
    case 2:
      return "local mine = redis('SET', self.key, self.token, 'NX', 'PXAT', millis(now()) + " +
             lifetime + ") == OK\n";
    case 3:
    case 4:
      return "local mine = ask(self.key, \"" + script_taking() +
             "\", self.token, self.ttl_ms) == 1\n";
    default:
      return "local mine = redis('SET', self.key, self.token, 'NX', 'PX', " + lifetime +
             ") == OK\n";
  }
}

/// A list of holders, each with its end, in one text.
std::string Writer::listing() {
  return fmt::format(
      "local kept, n = '', 0 "
      "for m, ends in (redis.call('get', KEYS[1]) or ''):gmatch('([^|]+)|(%d+),') do "
      "if tonumber(ends) > ms - {} then kept = kept .. m .. '|' .. ends .. ',' n = n + 1 end end "
      "if n > {} then return 0 end redis.call('set', KEYS[1], "
      "kept .. ARGV[1] .. '|' .. string.format('%.0f', ms + {}) .. ',', 'px', ARGV[2]) return 1",
      dice_.from(-1, 3), dice_.from(0, 1), dice_.ms(1, 12));
}

/// A lifetime that is made of what is left of one.
std::string Writer::prolonging() {
  const std::string beside = "KEYS[1] .. ':beside'", own = "KEYS[1]";
  return fmt::format(
      "local left = redis.call('pttl', {}) "
      "if left > 0 then redis.call('pexpire', {}, {}) end",
      dice_.one_in(3) ? beside : own, dice_.one_in(3) ? beside : own,
      dice_.one_in(3) ? fmt::format("math.max(left + {}, {})", dice_.ms(-3, 3), dice_.ms(1, 12))
                      : fmt::format("left + {}", dice_.ms(-3, 6)));
}

std::string Writer::script_taking() {
  switch (dice_.from(0, 4)) {
    case 4:
      return listing();
    case 0:
      return "if redis.call('exists', KEYS[1]) == 0 or " + script_comparison() +
             " then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) return 1 end return 0";
    case 1:
      return "local old = redis.call('GET', KEYS[1]) if old and " + script_comparison() +
             " then return 0 end redis.call('SET', KEYS[1], string.format('%.0f', ms)) return 1";
    case 2:
      return fmt::format(
          "redis.call('zremrangebyscore', KEYS[1], '-inf', ms - {}) "
          "if redis.call('zcard', KEYS[1]) > 0 then return 0 end "
          "redis.call('zadd', KEYS[1], ms, ARGV[1]) return 1",
          dice_.ms(1, 12));
    default:
      return fmt::format(
          "local ends = redis.call('hget', KEYS[1], 'ends') if ends and ms {} ends + {} then "
          "return 0 end redis.call('hset', KEYS[1], 'ends', ms + ARGV[2]) return 1",
          dice_.of({"<", "<="}), dice_.ms(0, 4));
  }
}

/// A task that renews while the lock is held.
std::string Writer::keeping() {
  std::string body = "local start = monotonic()\nlocal began = now()\n";
  if (dice_.one_in(2)) body += "if " + comparison() + " then lost(self) return false end\n";
  body += "redis('PEXPIRE', self.key, " + number(1, 12) + ")\n";
  return "if mine then self.keeper = every(" + nap(2, 8) + ", function()\n" + body + "end) end\n";
}

std::string Writer::heard() {
  std::string text = "self.heard = now()\n";
  if (dice_.absolute() && dice_.one_in(2))
    text += "self.ends_ms = millis(now()) + " + number(1, 12) + "\n";
  return text;
}

std::string Writer::acquire() {
  auto body = statements(1) + taking() + heard();
  if (dice_.one_in(3)) body += "if not mine then\n" + statements(2) + "return false end\n";
  body += statements(2);
  if (marks_) body += mark();
  if (dice_.one_in(7)) body += keeping();
  body += dice_.one_in(3) ? "return mine and " + comparison() + "\n" : "return mine\n";
  if (dice_.one_in(4))
    body = "return retry(function()\n" + body + (dice_.one_in(3) ? "end" : "end, " + nap(2, 6)) +
           ")\n";
  return body;
}

std::string Writer::release() {
  const std::string mine = "redis.call('get', KEYS[1]) == ARGV[1]";
  std::string script;
  switch (dice_.sound() ? 4 : dice_.from(0, 5)) {
    case 0:
      return "if " + comparison() + " then return redis('DEL', self.key) == 1 end\nreturn false\n";
    case 1:
      return statements(1) + "return redis('PEXPIRE', self.key, " + number(1, 6) + ") == 1\n";
    case 2:
      script = script_comparison();
      break;
    case 3:
      script = mine + " and " + script_comparison();
      break;
    case 4:
      script = mine;
      break;
    default:
      return statements(1) + "redis('DEL', self.key)\nreturn true\n";
  }
  return statements(1) + "return ask(self.key, \"if " + script +
         " then return redis.call('del', KEYS[1]) end return 0\", self.token) == 1\n";
}

std::string Writer::protocol() {
  const auto begins = [&](const std::string& body) {
    return std::string("local start = monotonic()\nlocal began = now()\n") +
           (std::exchange(server_, false) ? "local server = server_ms()\n" : "") + body;
  };
  std::string taking = acquire();
  const bool server = std::exchange(server_, false);
  const auto giving = begins(release());
  std::string asked =
      "self.since = self.since or start\nself.taken = start\nself.asked = began\n"
      "self.heard = self.heard or began\n";
  if (times_kept_)
    asked += "self.asked_ms = millis(began)\nself.ends_ms = self.ends_ms or self.asked_ms\n";
  server_ = server;
  taking = begins(asked + "self.token = unique()\n" + taking);
  return std::string("local Lock = protocol { title = \"a random lock\", source = \"a seed\" }\n") +
         (marks_ ? kNothingMarked : "") + (dice_.absolute() ? kTimeOfNode : "local ms = ''") +
         kHelpers +
         without_unread("function Lock:acquire()\n" + taking +
                        "end\nfunction Lock:release()\n"
                        "if self.keeper then stop(self.keeper) self.keeper = nil end\n" +
                        giving + "end\nreturn Lock\n");
}

std::vector<sim::WorkStep> workload_of(Chances& dice, bool two_locks) {
  using Kind = sim::WorkStep::Kind;
  std::vector<sim::WorkStep> steps;
  if (!dice.small() && dice.one_in(4)) steps.push_back({Kind::sleep, 0, dice.ms(1, 6)});
  steps.push_back({Kind::lock, 0, 0});
  if (two_locks) steps.push_back({Kind::lock, 1, 0});
  if (!dice.one_in(3))
    steps.push_back({dice.one_in(2) ? Kind::work : Kind::sleep, 0, dice.ms(1, 12)});
  if (two_locks) steps.push_back({Kind::unlock, 1, 0});
  steps.push_back({Kind::unlock, 0, 0});
  return steps;
}

void add_faults(Chances& dice, sim::Model& model) {
  const std::vector<sim::Fault> faults{sim::Fault::pause, sim::Fault::delay, sim::Fault::crash,
                                       sim::Fault::lose,  sim::Fault::jump,  sim::Fault::freeze};
  const bool pauses = dice.sound() && dice.one_in(3);
  const auto fault = faults[pauses ? 0 : static_cast<std::size_t>(dice.from(0, 5))];
  ++model.budget[static_cast<std::size_t>(fault)];
  if (fault == sim::Fault::jump) model.jumps_ms = {dice.ms(1, 12), -dice.ms(1, 12)};
  if (model.processes[0].threads > 1 && dice.one_in(2))
    model.budget[static_cast<std::size_t>(sim::Fault::preempt)] = 1;
  if (dice.one_in(6)) model.clocks_ms = {dice.ms(-6, 6)};
  if (dice.one_in(fault == sim::Fault::pause ? 2 : 6)) model.pause_max_ms = dice.ms(1, 8);
  if (dice.one_in(6)) model.request_timeout_ms = dice.ms(1, 8);
}

void choose_properties(Chances& dice, sim::Model& model) {
  model.properties = {sim::Property::mutual_exclusion};
  switch (dice.from(0, 4)) {
    case 0:
      model.properties = {sim::Property::foreign_release, sim::Property::foreign_extend,
                          sim::Property::honest_result};
      break;
    case 1:
      model.properties = {sim::Property::deadlock, sim::Property::leak};
      break;
    default:
      break;
  }
}

/// What the model is, as a comment.
std::string described(const sim::Model& model) {
  std::string text;
  for (const auto& process : model.processes) {
    text += fmt::format("-- {} of {} threads, lease {}:", process.rounds, process.threads,
                        process.lease_ms);
    for (const auto& step : process.workload)
      text += fmt::format(" {}({}, {})", static_cast<int>(step.kind), step.lock, step.ms);
    text += '\n';
  }
  text += fmt::format(
      "-- faults {}, jumps {}, clocks {}, timeout {}, longest pause {}, latency {}\n",
      fmt::join(model.budget, " "), fmt::join(model.jumps_ms, " "), fmt::join(model.clocks_ms, " "),
      model.request_timeout_ms, model.pause_max_ms, model.latency_ms);
  return text;
}

}  // namespace

RandomLock random_timed_lock(std::uint32_t seed, std::int64_t unit_ms, bool rounds, bool absolute) {
  Chances dice(seed, unit_ms, rounds, absolute);
  RandomLock lock;
  sim::ProcessSetup process;
  process.lease_ms = dice.ms(2, 12);
  const auto text = Writer(dice, process.lease_ms).protocol();
  const bool two_locks = !dice.small() && dice.one_in(8);
  process.lock_keys = {"lock"};
  if (two_locks) process.lock_keys.emplace_back("gate");
  const auto clients = dice.small() ? 2 : dice.one_in(8) ? 3 : dice.one_in(8) ? 1 : 2;
  for (int i = 0; i < clients; ++i) {
    process.workload = workload_of(dice, two_locks);
    lock.model.processes.push_back(process);
  }
  if (clients == 1 || (!dice.small() && dice.one_in(8))) lock.model.processes[0].threads = 2;
  if (!dice.small() && clients == 2 && dice.one_in(6)) lock.model.processes[0].rounds = 2;
  if (clients < 3 && !dice.one_in(3)) add_faults(dice, lock.model);
  choose_properties(dice, lock.model);
  if (clients < 3 && dice.one_in(dice.small() ? 16 : 8)) lock.model.latency_ms = dice.ms(1, 2);
  lock.protocol = described(lock.model) + (seed % 7 / 2 == 1 ? with_seconds(text) : text);
  return lock;
}

RandomLock random_marking_lock(std::uint32_t seed, std::int64_t unit_ms, bool rounds,
                               bool absolute) {
  Chances dice(seed, unit_ms, rounds, absolute);
  RandomLock lock;
  sim::ProcessSetup process;
  process.lease_ms = dice.ms(2, 12);
  const auto text = Writer(dice, process.lease_ms, true).protocol();
  process.lock_keys = {"lock"};
  for (auto clients = dice.one_in(3) ? 2 : 1; clients > 0; --clients) {
    process.workload = workload_of(dice, false);
    lock.model.processes.push_back(process);
  }
  if (dice.one_in(4)) lock.model.processes[0].threads = 2;
  if (dice.one_in(4)) lock.model.processes[0].rounds = 2;
  if (!dice.one_in(4)) add_faults(dice, lock.model);
  lock.model.properties = {sim::Property::invariant};
  if (dice.one_in(6)) lock.model.latency_ms = dice.ms(1, 2);
  lock.protocol = described(lock.model) + (seed % 7 / 2 == 1 ? with_seconds(text) : text);
  return lock;
}

RandomLock random_drifting_lock(std::uint32_t seed) {
  RandomLock lock = random_timed_lock(seed, 1, true, seed % 16 == 0);
  std::mt19937 engine(~seed);
  const std::vector<std::int64_t> ppm{0,        0,       0,     -500'000, -333'333,
                                      -100'000, -1'000,  1'000, 100'000,  200'000,
                                      333'333,  500'000, -1,    250'000};
  const auto drift = [&] { return ppm[engine() % ppm.size()]; };
  for (std::size_t i = 0; i < lock.model.processes.size(); ++i)
    lock.model.drifts_ppm.push_back(drift());
  lock.model.node_drifts_ppm = {drift()};
  lock.model.budget[static_cast<std::size_t>(sim::Fault::freeze)] = 0;  // is refused beside them
  using sim::PartOfMs;
  lock.model.part_of_ms =
      std::array{PartOfMs::none, PartOfMs::off_leases, PartOfMs::onto_ages, PartOfMs::none}.at(
          engine() % 4);
  lock.protocol =
      fmt::format("-- drifts {}, of the node {}, part of a ms {}\n",
                  fmt::join(lock.model.drifts_ppm, " "), fmt::join(lock.model.node_drifts_ppm, " "),
                  static_cast<int>(lock.model.part_of_ms)) +
      lock.protocol;
  return lock;
}

}  // namespace lockstep::test
