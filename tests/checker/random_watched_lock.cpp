// A holder leaves keys with a lifetime at its beginning, at each turn of its tasks and at its end;
// whoever comes by looks at what is left of them, and the holder at how long ago it began.
#include "tests/checker/random_watched_lock.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

class WatchedWriter {
 public:
  WatchedWriter(Dice& dice, std::int64_t unit_ms) : dice_(dice), unit_ms_(unit_ms) {}

  std::int64_t ms(std::int64_t least, std::int64_t most) {
    const auto units = dice_.from(least, most) * unit_ms_;
    return dice_.one_in(4) ? units + dice_.from(-1, 1) : units;
  }

  std::string protocol() {
    return fmt::format(R"lua(local Lock = protocol {{ title = "a random lock", source = "a seed" }}
invariant("nothing is marked", function(world)
  for _, client in ipairs(world.clients) do
    if (client.locks["lock"] or {{}}).saw then return false end
  end
  return true
end)
local function left(key) return redis("PTTL", key) end
function Lock:acquire()
  if redis("SET", self.key, "1", "NX") ~= OK then
    if {} then self.saw = true end
    return false
  end
  self.start = monotonic()
  {}{}{}return true
end
function Lock:release()
  {}{}return true
end
return Lock
)lua",
                       seen(), leave("begun"), task("one"), dice_.one_in(4) ? task("two") : "",
                       leave("ended"), looks());
  }

 private:
  std::string leave(const std::string& key) {
    return dice_.one_in(2) ? "" : fmt::format("redis('SET', '{}', 1, 'PX', {}) ", key, ms(1, 5));
  }

  std::string compared(const std::string& what, std::int64_t most) {
    return fmt::format("{} {} {}", what, dice_.of<std::string>({"==", "==", "<", ">"}),
                       ms(1, most));
  }

  /// What a passer-by sees.
  std::string seen() {
    std::string text = compared("left('" + key() + "')", 4);
    for (auto more = dice_.from(0, 2); more > 0; --more)
      text += " and " + compared("left('" + key() + "')", 4);
    return text;
  }

  std::string key() { return dice_.of<std::string>({"begun", "one", "one", "two", "ended"}); }

  std::string task(const std::string& name) {
    std::string body = leave(name);
    if (dice_.one_in(2))
      body += "if " + compared("monotonic() - self.start", 6) + " then self.met = true end ";
    if (dice_.one_in(4))
      body += "if " + compared("monotonic() - self.start", 8) + " then lost(self) end ";
    const auto pace = ms(1, 4);
    if (dice_.one_in(3)) return fmt::format("spawn(function() sleep({}) {}end) ", pace, body);
    return fmt::format("self.{0} = every({1}, function() {2}return {3} end)\n  ", name, pace, body,
                       dice_.one_in(2) ? "true" : compared("monotonic() - self.start", 6));
  }

  /// At the end of the work.
  std::string looks() {
    std::string text;
    for (const std::string name : {"one", "two"})
      text += fmt::format("if self.{0} then stop(self.{0}) end ", name);
    if (dice_.one_in(2))
      text += "if self.met and " + compared("monotonic() - self.start", 8) +
              " then self.saw = true end\n  ";
    return text;
  }

  Dice& dice_;
  std::int64_t unit_ms_;
};

}  // namespace

RandomLock random_watched_lock(std::uint32_t seed, std::int64_t unit_ms) {
  Dice dice(seed);
  WatchedWriter writer(dice, unit_ms);
  RandomLock lock;
  lock.protocol = writer.protocol();
  sim::ProcessSetup process;
  process.lease_ms = writer.ms(3, 9);
  process.lock_keys = {"lock"};
  process.workload = {{sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::work, 0, writer.ms(1, 5)}};
  if (dice.one_in(3)) process.workload.push_back({sim::WorkStep::Kind::work, 0, writer.ms(1, 3)});
  process.workload.push_back({sim::WorkStep::Kind::unlock, 0, 0});
  lock.model.processes.assign(dice.one_in(3) ? 1 : 2, process);
  if (lock.model.processes.size() > 1)  // passes by
    lock.model.processes[1].workload = {process.workload.front(), process.workload.back()};
  lock.model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
  if (dice.one_in(2)) lock.model.pause_max_ms = writer.ms(1, 8);
  if (dice.one_in(6)) lock.model.budget[static_cast<std::size_t>(sim::Fault::crash)] = 1;
  lock.model.properties = {sim::Property::invariant};
  return lock;
}

}  // namespace lockstep::test
