// Commands on one set (Redis 7.0 t_set.c).
#include <algorithm>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/random_choice.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Takes some members out of a set; one without members does not exist.
Reply take_some(Call& call, const std::string& key, Entry& entry, std::int64_t count) {
  const auto order = members(entry);
  std::vector<Reply> taken;
  for (const std::size_t i : chosen_indexes(call, order.size(), count))
    taken.push_back(Reply::bulk(*order[i]));
  const Set& set = std::get<Set>(entry.value);
  const bool own = std::ranges::any_of(taken, [&](const Reply& member) {
    return set.at(member.text).maker == call.execution.sender;
  });
  for (const Reply& member : taken) remove_member(entry, member.text);
  if (own) put_up(entry, call.execution.sender);
  if (!taken.empty()) call.notify(kSetEvents, "spop", key);
  if (set_size(entry) == 0) call.remove(key);
  return Reply::array(std::move(taken));
}

Reply run_sadd(Call& call) {
  Entry& entry = call.entry_at_or_new<Set>(call.argv[1]);
  std::int64_t added = 0;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    const std::string& member = call.argv[i];
    if (add_member(entry, member, call.execution.sender)) {
      ++added;
    } else if (Maker& maker = std::get<Set>(entry.value).at(member).maker;
               maker != kNobody && !call.stays(maker, member)) {
      maker = call.execution.sender;
    }
  }
  if (added != 0) call.notify(kSetEvents, "sadd", call.argv[1]);
  return Reply::number(added);
}

Reply run_srem(Call& call) {
  Entry* entry = call.entry_at<Set>(call.argv[1]);
  if (!entry) return Reply::number(0);
  std::int64_t removed = 0;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    if (remove_member(*entry, call.argv[i])) ++removed;
  }
  if (removed != 0) call.notify(kSetEvents, "srem", call.argv[1]);
  if (set_size(*entry) == 0) call.remove(call.argv[1]);
  return Reply::number(removed);
}

Reply run_smove(Call& call) {
  const std::string& from = call.argv[1];
  const std::string& member = call.argv[3];
  Entry* source = call.find(from);
  Entry* target = call.find(call.argv[2]);
  if (!source) return Reply::number(0);
  typed<Set>(source);
  typed<Set>(target);  // of another type: refused before anything moves
  if (from == call.argv[2]) return Reply::number(has_member(*source, member) ? 1 : 0);
  if (!remove_member(*source, member)) return Reply::number(0);
  call.notify(kSetEvents, "srem", from);
  if (set_size(*source) == 0) call.remove(from);
  if (!target) target = &call.put(call.argv[2], Set{});
  if (add_member(*target, member, call.execution.sender))
    call.notify(kSetEvents, "sadd", call.argv[2]);
  return Reply::number(1);
}

Reply run_sismember(Call& call) {
  const Entry* entry = call.read_entry<Set>(call.argv[1]);
  return Reply::number(entry && has_member(*entry, call.argv[2]) ? 1 : 0);
}

Reply run_smismember(Call& call) {
  const Entry* entry = call.read_entry<Set>(call.argv[1]);
  std::vector<Reply> found;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    found.push_back(Reply::number(entry && has_member(*entry, call.argv[i]) ? 1 : 0));
  }
  return Reply::array(std::move(found));
}

Reply run_scard(Call& call) {
  const Entry* entry = call.read_entry<Set>(call.argv[1]);
  return Reply::count(entry ? set_size(*entry) : 0);
}

Reply run_spop(Call& call) {
  if (call.argv.size() > 3) refuse_syntax();
  const bool counted = call.argv.size() == 3;
  const std::int64_t count = counted ? pop_count(call.argv[2]) : 1;
  Entry* entry = call.entry_at<Set>(call.argv[1]);
  if (!entry) return counted ? Reply::array({}) : Reply::null();
  Reply taken = take_some(call, call.argv[1], *entry, count);
  if (!counted) return taken.items[0];
  if (Entry* rest = call.find(call.argv[1])) repack_after_pop(*rest, count);
  return taken;
}

Reply run_srandmember(Call& call) {
  if (call.argv.size() > 3) refuse_syntax();
  const bool counted = call.argv.size() == 3;
  const std::int64_t count = counted ? signed_count(call.argv[2]) : 1;
  const Entry* entry = call.read_entry<Set>(call.argv[1]);
  if (!entry) return counted ? Reply::array({}) : Reply::null();
  const auto order = members(*entry);
  std::vector<Reply> chosen;
  for (const std::size_t i : chosen_indexes(call, order.size(), count)) {
    chosen.push_back(Reply::bulk(*order[i]));
  }
  return counted ? Reply::array(std::move(chosen)) : chosen[0];
}

constexpr Command kSetsRows[] = {
    {{"sadd", -3, kWrite | kDenyOom | kFast, "set", {{"RW insert", 1}}}, run_sadd},
    {{"srem", -3, kWrite | kFast, "set", {{"RW delete", 1}}}, run_srem},
    {{"smove", 4, kWrite | kFast, "set", {{"RW access delete", 1}, {"RW insert", 2}}}, run_smove},
    {{"sismember", 3, kReadOnly | kFast, "set", {{"RO", 1}}}, run_sismember},
    {{"smismember", -3, kReadOnly | kFast, "set", {{"RO access", 1}}}, run_smismember},
    {{"scard", 2, kReadOnly | kFast, "set", {{"RO", 1}}}, run_scard},
    {{"spop", -2, kWrite | kFast, "set", {{"RW access delete", 1}}, "nondeterministic_output"},
     run_spop,
     {.traits = kByChance, .resp3 = {Resp3Type::set, 2}}},
    {{"srandmember", -2, kReadOnly, "set", {{"RO access", 1}}, "nondeterministic_output"},
     run_srandmember,
     {kByChance}},
};

}  // namespace

std::span<const Command> set_commands() { return kSetsRows; }

}  // namespace lockstep::sim
