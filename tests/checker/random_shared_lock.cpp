// A lock is put together from a way to mark its readers and its writer, each taken and given back
// by one that need not fit the other.
#include "tests/checker/random_shared_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/checker/dice.hpp"

namespace lockstep::test {

namespace {

/// One mark of the lock: how it is set if nobody is in the way, and how it is taken away.
struct Marks {
  std::vector<std::string> reads, writes, read_ends, write_ends;
};

const Marks kTwoKeys{
    {R"lua(if redis("EXISTS", wkey) == 1 then return false end
  return redis("SET", rkey, "1", "PX", self.ttl_ms) == OK)lua",
     R"lua(if redis("EXISTS", wkey) == 1 then return false end
  return redis("SET", rkey, self.mine, "PX", self.ttl_ms) == OK)lua",
     R"lua(return redis("EVAL", "if redis.call('exists', KEYS[2]) == 1 then return 0 end" ..
    " redis.call('incr', KEYS[1]) redis.call('pexpire', KEYS[1], ARGV[1]) return 1",
    2, rkey, wkey, self.ttl_ms) == 1)lua"},
    {R"lua(return redis("EVAL", "if redis.call('exists', KEYS[1]) == 1 then return 0 end" ..
    " if redis.call('set', KEYS[2], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0",
    2, rkey, wkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(if redis("EXISTS", rkey) == 1 then return false end
  return redis("SET", wkey, self.mine, "NX", "PX", self.ttl_ms) == OK)lua",
     R"lua(return redis("SET", wkey, "1", "PX", self.ttl_ms) == OK)lua"},
    {R"lua(return redis("DEL", rkey) == 1)lua",
     R"lua(return redis("EVAL", "if redis.call('decr', KEYS[1]) <= 0 then" ..
    " redis.call('del', KEYS[1]) end return 1", 1, rkey) == 1)lua",
     R"lua(if redis("GET", rkey) ~= self.mine then return false end
  return redis("DEL", rkey) == 1)lua"},
    {R"lua(return redis("DEL", wkey) == 1)lua",
     R"lua(if redis("GET", wkey) ~= self.mine then return false end
  return redis("DEL", wkey) == 1)lua",
     R"lua(redis("DEL", wkey))lua"}};

const Marks kHash{
    {R"lua(return redis("EVAL", "if redis.call('hexists', KEYS[1], 'write') == 1 then return 0 end" ..
    " redis.call('hset', KEYS[1], 'read', ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2]) return 1",
    1, rkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(return redis("EVAL", "if redis.call('hexists', KEYS[1], 'write') == 1 then return 0 end" ..
    " redis.call('hset', KEYS[1], ARGV[1], 1) if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2])" ..
    " then redis.call('pexpire', KEYS[1], ARGV[2]) end return 1",
    1, rkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(local mine, ask = self.mine, "redis.call('hset', KEYS[1], ARGV[1], ARGV[3])" ..
    " if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2])" ..
    " then redis.call('pexpire', KEYS[1], ARGV[2]) end return 1"
  if redis("HEXISTS", rkey, "write") == 1 then return false end
  spawn(function()
    sleep(2)
    redis("EVAL", "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end " .. ask,
      1, rkey, mine, self.ttl_ms, 2)
  end)
  return redis("EVAL", ask, 1, rkey, mine, self.ttl_ms, 1) == 1)lua"},
    {R"lua(return redis("EVAL", "if redis.call('exists', KEYS[1]) == 1 then return 0 end" ..
    " redis.call('hset', KEYS[1], 'write', ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2]) return 1",
    1, rkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(if redis("HEXISTS", rkey, "read") == 1 then return false end
  return redis("HSETNX", rkey, "write", self.mine) == 1)lua"},
    {R"lua(return redis("HDEL", rkey, self.mine) == 1)lua",
     R"lua(return redis("EVAL", "local n = redis.call('hdel', KEYS[1], ARGV[1])" ..
    " if redis.call('pttl', KEYS[1]) > tonumber(ARGV[2]) then" ..
    " redis.call('pexpire', KEYS[1], ARGV[2]) end return n", 1, rkey, self.mine, 3) == 1)lua",
     R"lua(return redis("EVAL", "local n = redis.call('hdel', KEYS[1], ARGV[1])" ..
    " redis.call('pexpire', KEYS[1], ARGV[2]) return n", 1, rkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(return redis("HDEL", rkey, "read") == 1)lua",
     R"lua(return redis("EVAL", "if redis.call('hget', KEYS[1], 'read') == ARGV[1] then" ..
    " redis.call('hdel', KEYS[1], 'read') end", 1, rkey, self.mine) == nil)lua"},
    {R"lua(return redis("HDEL", rkey, "write") == 1)lua",
     R"lua(return redis("DEL", rkey) == 1)lua"}};

/// All in one text: a list of the readers' tokens, or how many there are; -1 or "w" for a writer.
const Marks kOneText{
    {R"lua(return redis("EVAL", "local v = redis.call('get', KEYS[1]) or ''" ..
    " if v == 'w' then return 0 end redis.call('set', KEYS[1], v .. ARGV[1] .. ',', 'px', ARGV[2])" ..
    " return 1", 1, rkey, self.mine, self.ttl_ms) == 1)lua",
     R"lua(return redis("EVAL", "local v = tonumber(redis.call('get', KEYS[1])) or 0" ..
    " if v < 0 then return 0 end redis.call('set', KEYS[1], v + 1, 'px', ARGV[1]) return 1",
    1, rkey, self.ttl_ms) == 1)lua",
     R"lua(redis("APPEND", rkey, self.mine .. ",")
  return redis("PEXPIRE", rkey, self.ttl_ms) == 1)lua"},
    {R"lua(return redis("SET", rkey, "w", "NX", "PX", self.ttl_ms) == OK)lua",
     R"lua(return redis("EVAL", "if redis.call('exists', KEYS[1]) == 1 then return 0 end" ..
    " redis.call('set', KEYS[1], -1, 'px', ARGV[1]) return 1", 1, rkey, self.ttl_ms) == 1)lua",
     R"lua(return redis("SET", rkey, self.mine, "NX", "PX", self.ttl_ms) == OK)lua"},
    {R"lua(return redis("EVAL", "local v, rest = redis.call('get', KEYS[1]) or '', ''" ..
    " for m in string.gmatch(v, '[^,]+') do if m ~= ARGV[1] then rest = rest .. m .. ',' end end" ..
    " if rest == v then return 0 end if rest == '' then return redis.call('del', KEYS[1]) end" ..
    " redis.call('set', KEYS[1], rest, 'keepttl') return 1", 1, rkey, self.mine) == 1)lua",
     R"lua(return redis("EVAL", "local v = tonumber(redis.call('get', KEYS[1])) or 0" ..
    " if v < 1 then return 0 end redis.call('set', KEYS[1], v - 1, 'keepttl') return 1", 1, rkey) == 1)lua",
     R"lua(return redis("DECR", rkey) >= 0)lua", R"lua(return redis("DEL", rkey) == 1)lua"},
    {R"lua(return redis("DEL", rkey) == 1)lua",
     R"lua(if redis("GET", rkey) ~= self.mine then return false end
  return redis("DEL", rkey) == 1)lua"}};

/// A release() that says nothing of how it went.
std::string silenced(std::string body) {
  const std::string answers = "return redis(";
  const auto last = body.rfind(answers);
  if (last != std::string::npos) body.replace(last, answers.size(), "local _ = redis(");
  return body;
}

std::string method(Dice& dice, const char* name, const std::string& body, bool retries) {
  std::string text = fmt::format(
      "function Lock:{}()\n  local rkey, wkey = self.key .. \":r\", self.key .. \":w\"\n", name);
  const bool takes = std::string(name).starts_with("acquire");
  if (takes) text += dice.one_in(3) ? "  self.mine = \"x\"\n" : "  self.mine = unique()\n";
  if (!takes && dice.one_in(8)) text += "  sleep(1)\n";
  if (retries) return text + "  return retry(function()\n  " + body + "\n  end, 2)\nend\n";
  const bool silent = !takes && dice.one_in(4);
  return text + "  " + (silent ? silenced(body) : body) + "\nend\n";
}

std::string shared_protocol(Dice& dice) {
  const Marks& marks = dice.one_in(3) ? kOneText : dice.one_in(2) ? kTwoKeys : kHash;
  std::string text =
      "local Lock = protocol { title = \"a random lock\", source = \"a seed\", leases = { "
      "\"{key}:r\", \"{key}:w\" }, settings = { eager = false } }\n";
  const bool retries = dice.one_in(3);
  text += method(dice, "acquire_shared", dice.of(marks.reads), retries);
  text += method(dice, "acquire", dice.of(marks.writes), retries);
  text += method(dice, "release_shared", dice.of(marks.read_ends), false);
  text += method(dice, "release", dice.of(marks.write_ends), false);
  if (dice.one_in(4))
    text.replace(text.find("  return"), 0, "  if setting(\"eager\") then return true end\n");
  return text + "return Lock\n";
}

using Deed = sim::WorkStep::Kind;
const sim::WorkStep kLock{Deed::lock, 0, 0}, kUnlock{Deed::unlock, 0, 0};
const sim::WorkStep kShare{Deed::lock, 1, 0}, kUnshare{Deed::unlock, 1, 0};

std::vector<sim::WorkStep> shared_workload(Dice& dice) {
  const sim::WorkStep work{Deed::work, 0, dice.from(1, 4)};
  return dice.of<std::vector<sim::WorkStep>>({
      {kLock, work, kUnlock},
      {kShare, work, kUnshare},
      {kShare, work, kUnshare},
      {kShare, kUnshare, kLock, kUnlock},
      {kShare, kLock, work, kUnlock, kUnshare},
      {kLock, kShare, kUnlock, work, kUnshare},
      {kShare, kShare, kUnshare, kUnshare},
  });
}

}  // namespace

RandomLock random_shared_lock(std::uint32_t seed) {
  Dice dice(seed);
  RandomLock lock;
  sim::ProcessSetup process = random_process(dice);
  process.lock_keys = {"lock", "lock"};
  process.shared = {false, true};
  lock.protocol = shared_protocol(dice);
  lock.model.processes.assign(dice.one_in(3) ? 3 : 2, process);
  for (auto& setup : lock.model.processes) {
    setup.workload = shared_workload(dice);
    if (dice.one_in(4)) setup.lease_ms = dice.from(1, 6);
    if (dice.one_in(4)) setup.settings["eager"] = true;
  }
  if (dice.one_in(6)) lock.model.processes.front().threads = 2;
  if (!dice.one_in(3))
    ++lock.model.budget[static_cast<std::size_t>(
        dice.of<sim::Fault>({sim::Fault::pause, sim::Fault::delay, sim::Fault::lose,
                             sim::Fault::crash, sim::Fault::evict, sim::Fault::node_crash}))];
  if (dice.one_in(3)) {
    lock.model.properties = {sim::Property::progress};
    for (auto& setup : lock.model.processes)
      if (!dice.one_in(3)) setup.rounds = 0;
  } else if (dice.one_in(5)) {
    lock.model.overtakes = static_cast<unsigned>(dice.from(0, 2));
    lock.model.properties = {sim::Property::fairness};
  } else if (dice.one_in(4)) {
    lock.model.waits_ms = dice.from(2, 6);
    lock.model.waits_after =
        dice.of<sim::WaitsAfter>({sim::WaitsAfter::call, sim::WaitsAfter::free});
    lock.model.properties = {sim::Property::waits};
  } else {
    lock.model.properties = {dice.one_in(3) ? sim::Property::foreign_release
                                            : random_property(dice, sim::Property::leak)};
  }
  lock.model.witnesses = {sim::kWitnesses.begin(), sim::kWitnesses.end()};
  return lock;
}

}  // namespace lockstep::test
