// Intersections, unions and differences of sets (Redis 7.0 t_set.c).
#include <algorithm>

#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

using Sources = std::vector<const Entry*>;

/// The sets at argv[first..end), null where there is no key. Every type is checked first.
Sources sources(Call& call, std::size_t first, std::size_t end) {
  Sources sets;
  for (std::size_t i = first; i < end; ++i) sets.push_back(call.read_entry<Set>(call.argv[i]));
  return sets;
}

Entry new_set(const Call& call) { return new_entry(Set{}, call.execution.sender); }

void add(Entry& result, const std::string& member) { add_member(result, member, result.maker); }

/// Members of the smallest set that all have, in its order, at most `limit` of them (0: all).
std::vector<std::string> common_members(Sources sets, std::size_t limit) {
  std::vector<std::string> common;
  if (std::ranges::count(sets, nullptr) > 0) return common;
  std::ranges::stable_sort(sets, {}, [](const Entry* set) { return set_size(*set); });
  for (const std::string* member : members(*sets[0])) {
    if (std::ranges::all_of(sets, [&](const Entry* set) { return has_member(*set, *member); })) {
      common.push_back(*member);
    }
    if (limit != 0 && common.size() == limit) break;
  }
  return common;
}

Entry intersection(Call& call, const Sources& sets) {
  Entry result = new_set(call);
  for (const std::string& member : common_members(sets, 0)) add(result, member);
  return result;
}

Entry set_union(Call& call, const Sources& sets) {
  Entry result = new_set(call);
  for (const Entry* set : sets) {
    if (!set) continue;
    for (const std::string* member : members(*set)) add(result, *member);
  }
  return result;
}

Entry difference(Call& call, const Sources& sets) {
  Entry result = new_set(call);
  if (!sets[0]) return result;
  for (const std::string* member : members(*sets[0])) {
    const auto has = [&](const Entry* set) { return set && has_member(*set, *member); };
    if (std::none_of(sets.begin() + 1, sets.end(), has)) add(result, *member);
  }
  return result;
}

using SetOperation = Entry (*)(Call&, const Sources&);

Reply reply_with(const Entry& set) {
  std::vector<Reply> items;
  for (const std::string* member : members(set)) items.push_back(Reply::bulk(*member));
  return Reply::array(std::move(items));
}

Reply show(Call& call, SetOperation operation) {
  return reply_with(operation(call, sources(call, 1, call.argv.size())));
}

Reply store(Call& call, SetOperation operation, std::string_view event) {
  Entry result = operation(call, sources(call, 2, call.argv.size()));
  return store_made(call, call.argv[1], std::move(result), kSetEvents, event);
}

Reply run_smembers(Call& call) {
  const Entry* set = call.read_entry<Set>(call.argv[1]);
  return set ? reply_with(*set) : Reply::array({});
}

/// Straight from the smallest set, whose order it keeps.
Reply run_sinter(Call& call) {
  std::vector<Reply> items;
  for (std::string& member : common_members(sources(call, 1, call.argv.size()), 0)) {
    items.push_back(Reply::bulk(std::move(member)));
  }
  return Reply::array(std::move(items));
}

Reply run_sunion(Call& call) { return show(call, set_union); }
Reply run_sdiff(Call& call) { return show(call, difference); }
Reply run_sinterstore(Call& call) { return store(call, intersection, "sinterstore"); }
Reply run_sunionstore(Call& call) { return store(call, set_union, "sunionstore"); }
Reply run_sdiffstore(Call& call) { return store(call, difference, "sdiffstore"); }

Reply run_sintercard(Call& call) {
  const Request& argv = call.argv;
  const auto count =
      static_cast<std::size_t>(integer_from(1, argv[1], "ERR numkeys should be greater than 0"));
  if (count > argv.size() - 2) refuse("ERR Number of keys can't be greater than number of args");
  std::size_t limit = 0;
  for (std::size_t i = 2 + count; i < argv.size(); i += 2) {
    if (!is_word(argv[i], "limit") || i + 1 == argv.size()) refuse_syntax();
    limit = static_cast<std::size_t>(integer_from(0, argv[i + 1], "ERR LIMIT can't be negative"));
  }
  return Reply::count(common_members(sources(call, 2, 2 + count), limit).size());
}

constexpr Command kSetAlgebraRows[] = {
    {{"smembers", 2, kReadOnly, "set", {{"RO access", 1}}, "nondeterministic_output_order"},
     run_smembers,
     {.traits = kUnordered, .resp3 = {Resp3Type::set}}},
    {{"sinter", -2, kReadOnly, "set", {{"RO access", 1, -1}}, "nondeterministic_output_order"},
     run_sinter,
     {.traits = kUnordered, .resp3 = {Resp3Type::set}}},
    {{"sunion", -2, kReadOnly, "set", {{"RO access", 1, -1}}, "nondeterministic_output_order"},
     run_sunion,
     {.traits = kUnordered, .resp3 = {Resp3Type::set}}},
    {{"sdiff", -2, kReadOnly, "set", {{"RO access", 1, -1}}, "nondeterministic_output_order"},
     run_sdiff,
     {.traits = kUnordered, .resp3 = {Resp3Type::set}}},
    {{"sinterstore", -3, kWrite | kDenyOom, "set", {{"RW update", 1}, {"RO access", 2, -1}}},
     run_sinterstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"sunionstore", -3, kWrite | kDenyOom, "set", {{"OW update", 1}, {"RO access", 2, -1}}},
     run_sunionstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"sdiffstore", -3, kWrite | kDenyOom, "set", {{"OW update", 1}, {"RO access", 2, -1}}},
     run_sdiffstore,
     {.traits = kMultiplies, .touches = touches_if_positive}},
    {{"sintercard", -3, kReadOnly, "set", {{"RO access", 1, kCounted}}}, run_sintercard},
};

}  // namespace

std::span<const Command> set_algebra_commands() { return kSetAlgebraRows; }

}  // namespace lockstep::sim
