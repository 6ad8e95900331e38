// The EXPIRE family, TTL and its like (Redis 7.0 expire.c).
#include "sim/redis/commands/expiry.hpp"

#include <limits>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void refuse_expiry(std::string_view command) {
  refuse("ERR invalid expire time in '" + std::string(command) + "' command");
}

/// Options of EXPIRE: when it may change what is there.
struct Conditions {
  bool nx = false, xx = false, gt = false, lt = false;

  bool any() const { return nx || xx || gt || lt; }

  bool allow(const std::optional<WallTime>& current, WallTime wanted) const {
    if (nx && current) return false;
    if (xx && !current) return false;
    if (gt && (!current || wanted <= *current)) return false;
    if (lt && current && wanted >= *current) return false;
    return true;
  }
};

Conditions read_conditions(const Request& argv) {
  Conditions c;
  for (std::size_t i = 3; i < argv.size(); ++i) {
    if (is_word(argv[i], "nx")) {
      c.nx = true;
    } else if (is_word(argv[i], "xx")) {
      c.xx = true;
    } else if (is_word(argv[i], "gt")) {
      c.gt = true;
    } else if (is_word(argv[i], "lt")) {
      c.lt = true;
    } else {
      refuse("ERR Unsupported option " + argv[i]);
    }
  }
  if (c.nx && (c.xx || c.gt || c.lt)) {
    refuse("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (c.gt && c.lt) refuse("ERR GT and LT options at the same time are not compatible");
  return c;
}

WallTime expire_argument(Call& call, TimeForm form, std::string_view command) {
  std::int64_t ms = integer_argument(call.argv[2]);
  if (form.unit == TimeUnit::seconds) {
    if (ms > kMax / 1000 || ms < kMin / 1000) refuse_expiry(command);
    ms *= 1000;
  }
  if (form.absolute) {
    call.execution.looked_at_time = true;
    call.clock();  // whether that is over
    return {ms};
  }
  const auto when = from_now(call, ms);
  if (!when) refuse_expiry(command);
  return {*when};
}

Reply expire(Call& call, TimeForm form, std::string_view command) {
  const Conditions conditions = read_conditions(call.argv);
  const WallTime when = expire_argument(call, form, command);
  if (conditions.gt || conditions.lt) call.execution.looked_at_clock = true;
  Entry* entry = call.find(call.argv[1]);
  if (entry && conditions.any()) call.compare(entry->expires ? 1 : 0, 1);  // each asks for that
  if (entry && entry->expires && (conditions.gt || conditions.lt))
    call.compare(static_cast<double>(when.ms), static_cast<double>(entry->expires->ms));
  if (!entry || !conditions.allow(entry->expires, when)) return Reply::number(0);
  if (call.is_over(when)) {
    end_at_once(call, call.argv[1]);
  } else {
    entry->expires = when;
    call.notify(kGenericEvents, "expire", call.argv[1]);
  }
  return Reply::number(1);
}

Reply lifetime(Call& call, TimeUnit unit, bool absolute) {
  const Entry* entry = call.read(call.argv[1]);
  if (!entry) return Reply::number(-2);
  if (!entry->expires) return Reply::number(-1);
  if (absolute) call.execution.looked_at_time = true;
  const std::int64_t ms = absolute ? entry->expires->ms
                                   : std::max((*entry->expires - call.clock()).ms, std::int64_t{0});
  // (ms + 500) / 1000 in Redis, which its compiler takes for unsigned: no overflow near the
  // largest.
  return Reply::number(unit == TimeUnit::seconds ? ms / 1000 + (ms % 1000 >= 500 ? 1 : 0) : ms);
}

}  // namespace

void end_at_once(Call& call, const std::string& key) {
  if (!is_valkey(call.execution.mode.version)) return call.remove(key);
  call.erase(key);
  call.notify(kExpiredEvents, "expired", key);
}

std::optional<std::int64_t> from_now(Call& call, std::int64_t ms) {
  constexpr std::int64_t kNear = kMax - (std::int64_t{1} << 50);
  if (ms > kNear) call.execution.looked_at_time = true;
  const std::int64_t now = call.clock().ms;
  if (ms > kMax - now) return std::nullopt;
  return now + ms;
}

WallTime positive_expiry(Call& call, const std::string& text, TimeForm form,
                         std::string_view command) {
  std::int64_t ms = integer_argument(text);
  if (ms <= 0) refuse_expiry(command);
  if (form.unit == TimeUnit::seconds) {
    if (ms > kMax / 1000) refuse_expiry(command);
    ms *= 1000;
  }
  if (form.absolute) {
    call.execution.looked_at_time = true;
    return {ms};
  }
  const auto when = from_now(call, ms);
  if (!when) refuse_expiry(command);
  return {*when};
}

namespace {

Reply run_expire(Call& call) { return expire(call, {TimeUnit::seconds, false}, "expire"); }
Reply run_pexpire(Call& call) { return expire(call, {TimeUnit::milliseconds, false}, "pexpire"); }
Reply run_expireat(Call& call) { return expire(call, {TimeUnit::seconds, true}, "expireat"); }
Reply run_pexpireat(Call& call) {
  return expire(call, {TimeUnit::milliseconds, true}, "pexpireat");
}

Reply run_ttl(Call& call) { return lifetime(call, TimeUnit::seconds, false); }
Reply run_pttl(Call& call) { return lifetime(call, TimeUnit::milliseconds, false); }
Reply run_expiretime(Call& call) { return lifetime(call, TimeUnit::seconds, true); }
Reply run_pexpiretime(Call& call) { return lifetime(call, TimeUnit::milliseconds, true); }

Reply run_persist(Call& call) {
  Entry* entry = call.find(call.argv[1]);
  if (!entry || !entry->expires) return Reply::number(0);
  entry->expires.reset();
  call.notify(kGenericEvents, "persist", call.argv[1]);
  return Reply::number(1);
}

constexpr Command kExpiryRows[] = {
    {{"expire", -3, kWrite | kFast, "keyspace", {{"RW update", 1}}},
     run_expire,
     {.traits = kGivesLifetime, .touches = touches_if_positive}},
    {{"pexpire", -3, kWrite | kFast, "keyspace", {{"RW update", 1}}},
     run_pexpire,
     {.traits = kGivesLifetime, .touches = touches_if_positive}},
    {{"expireat", -3, kWrite | kFast, "keyspace", {{"RW update", 1}}},
     run_expireat,
     {.touches = touches_if_positive}},
    {{"pexpireat", -3, kWrite | kFast, "keyspace", {{"RW update", 1}}},
     run_pexpireat,
     {.touches = touches_if_positive}},
    {{"ttl", 2, kReadOnly | kFast, "keyspace", {{"RO access", 1}}, "nondeterministic_output"},
     run_ttl,
     {kLooksAtClock}},
    {{"pttl", 2, kReadOnly | kFast, "keyspace", {{"RO access", 1}}, "nondeterministic_output"},
     run_pttl,
     {kLooksAtClock}},
    {{"expiretime", 2, kReadOnly | kFast, "keyspace", {{"RO access", 1}}},
     run_expiretime,
     {kLooksAtClock}},
    {{"pexpiretime", 2, kReadOnly | kFast, "keyspace", {{"RO access", 1}}},
     run_pexpiretime,
     {kLooksAtClock}},
    {{"persist", 2, kWrite | kFast, "keyspace", {{"RW update", 1}}}, run_persist},
};

}  // namespace

std::span<const Command> expiry_commands() { return kExpiryRows; }

}  // namespace lockstep::sim
