// Commands on the members of one sorted set (Redis 7.0 t_zset.c).
#include <algorithm>
#include <cmath>

#include "sim/base/time.hpp"
#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/keyspace/sorted_set_parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/random_choice.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Options of ZADD; ZINCRBY is ZADD with INCR.
struct Options {
  bool nx = false, xx = false, gt = false, lt = false, changed = false, increment = false;
};

bool take_option(Options& o, const std::string& word) {
  if (is_word(word, "nx")) return o.nx = true;
  if (is_word(word, "xx")) return o.xx = true;
  if (is_word(word, "gt")) return o.gt = true;
  if (is_word(word, "lt")) return o.lt = true;
  if (is_word(word, "ch")) return o.changed = true;
  if (is_word(word, "incr")) return o.increment = true;
  return false;
}

void check(const Options& o, std::size_t arguments) {
  if (arguments == 0 || arguments % 2 != 0) refuse_syntax();
  if (o.nx && o.xx) refuse("ERR XX and NX options at the same time are not compatible");
  if ((o.gt && o.nx) || (o.lt && o.nx) || (o.gt && o.lt)) {
    refuse("ERR GT, LT, and/or NX options at the same time are not compatible");
  }
  if (o.increment && arguments > 2) {
    refuse("ERR INCR option supports a single increment-element pair");
  }
}

/// Where the member stands hangs on its score and all others; not on names, as far as that goes.
void find_place(Call& call, Entry& entry, const std::string& member, double score) {
  for (const auto* other : in_order(sorted_set_of(entry)))
    if (other->first != member) call.compare(score, other->second.score);
}

enum class Result : std::uint8_t { untouched, same, added, updated };

/// One pair of ZADD. `score` comes back as what the member has then.
Result add_one(Call& call, Entry& entry, const std::string& member, double& score,
               const Options& o) {
  const Maker sender = call.execution.sender;
  const auto old = sorted_set_of(entry).find(member);
  find_place(call, entry, member, score);
  if (old == sorted_set_of(entry).end()) {
    if (o.xx) return Result::untouched;
    put_score(entry, member, score, sender);
    return Result::added;
  }
  if (o.nx) return Result::untouched;
  const double before = old->second.score;
  if (o.increment) score += before;
  if (std::isnan(score)) refuse("ERR resulting score is not a number (NaN)");
  call.compare(score, before);
  if ((o.gt && score <= before) || (o.lt && score >= before)) return Result::untouched;
  // A counter keeps its maker. But a time, or what is named for one client, is written over.
  const bool counts = o.increment && std::max(score, before) < kFirstTime && !bears_token(member);
  const Maker maker = counts ? old->second.maker : sender;
  if (score == before) {  // nothing is written; what was nobody's becomes the sender's
    if (!call.stays(old->second.maker, member)) old->second.maker = maker;
    return Result::same;
  }
  put_score(entry, member, score, maker);
  return Result::updated;
}

/// Whether ZADD makes a skiplist of the set before it adds anything: for so many pairs, however
/// many of them are the same; in a Valkey also for a long member.
bool begins_large(const Call& call, std::size_t first, std::size_t pairs) {
  const ServerVersion version = call.execution.mode.version;
  if (since_72(version) && pairs > kMostListpackMembers) return true;
  if (!is_valkey(version)) return false;
  for (std::size_t i = first + 1; i < call.argv.size(); i += 2)
    if (call.argv[i].size() > kLongestListpackMember) return true;
  return false;
}

/// ZADD key [options] score member [score member ...]. ZINCRBY is ZADD with INCR, and reads its
/// other options too; with four arguments any of them leaves too few.
Reply add(Call& call, bool increment) {
  const Request& argv = call.argv;
  Options o;
  o.increment = increment;
  std::size_t first = 2;
  while (first < argv.size() && take_option(o, argv[first])) ++first;
  check(o, argv.size() - first);
  std::vector<double> scores;
  for (std::size_t i = first; i < argv.size(); i += 2) {
    scores.push_back(score_argument(call, argv[i], "ERR value is not a valid float"));
  }
  Entry* entry = call.entry_at<SortedSet>(argv[1]);
  if (!entry && o.xx) return o.increment ? Reply::null() : Reply::number(0);
  if (!entry) entry = &call.put(argv[1], SortedSet{});
  if (begins_large(call, first, scores.size())) entry->encoding = Encoding::large;
  std::int64_t added = 0, updated = 0;
  Result result = Result::same;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    result = add_one(call, *entry, argv[first + 2 * i + 1], scores[i], o);
    if (result == Result::added) ++added;
    if (result == Result::updated) ++updated;
  }
  call.signalled = added + updated != 0;
  if (call.signalled) call.notify(kSortedSetEvents, o.increment ? "zincr" : "zadd", argv[1]);
  if (!o.increment) return Reply::number(o.changed ? added + updated : added);
  return result == Result::untouched ? Reply::null() : shown_score(call, scores[0]);
}

Reply rank(Call& call, bool from_end) {
  const SortedSet* set = call.read<SortedSet>(call.argv[1]);
  if (!set) return Reply::null();
  const auto order = ordered(call, *set);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i]->first == call.argv[2]) {
      return Reply::count(from_end ? order.size() - 1 - i : i);
    }
  }
  return Reply::null();
}

using Scored = std::pair<std::string, double>;

/// Takes members off the low or the high end; a sorted set without members does not exist.
std::vector<Scored> take(Call& call, const std::string& key, bool max, std::int64_t count) {
  Entry* entry = call.entry_at<SortedSet>(key);
  SortedSet* set = &sorted_set_of(*entry);
  auto order = ordered(call, *set);
  if (max) std::reverse(order.begin(), order.end());
  if (static_cast<std::int64_t>(order.size()) > count) {
    order.resize(static_cast<std::size_t>(count));
  }
  std::vector<Scored> taken;
  bool own = false;
  for (const auto* item : order) {
    taken.emplace_back(item->first, item->second.score);
    own = own || item->second.maker == call.execution.sender;
  }
  for (const auto& [member, score] : taken) set->erase(member);
  if (own) put_up(*entry, call.execution.sender);
  if (!taken.empty()) call.notify(kSortedSetEvents, max ? "zpopmax" : "zpopmin", key);
  if (set->empty()) call.remove(key);
  return taken;
}

Reply pop(Call& call, bool max) {
  if (call.argv.size() > 3) refuse_syntax();
  const std::int64_t count = call.argv.size() == 3 ? pop_count(call.argv[2]) : 1;
  std::vector<Reply> items;
  if (!call.at<SortedSet>(call.argv[1])) return Reply::array({});
  for (const auto& [member, score] : take(call, call.argv[1], max, count)) {
    items.push_back(Reply::bulk(member));
    items.push_back(shown_score(call, score));
  }
  return Reply::array(std::move(items));
}

Reply score_reply(const Call& call, const SortedSet* set, const std::string& member) {
  if (!set) return Reply::null();
  const auto it = set->find(member);
  return it == set->end() ? Reply::null() : shown_score(call, it->second.score);
}

Reply run_zadd(Call& call) { return add(call, false); }
Reply run_zincrby(Call& call) { return add(call, true); }

Reply run_zrem(Call& call) {
  auto* set = call.at<SortedSet>(call.argv[1]);
  if (!set) return Reply::number(0);
  std::size_t removed = 0;
  for (std::size_t i = 2; i < call.argv.size(); ++i) removed += set->erase(call.argv[i]);
  if (removed != 0) call.notify(kSortedSetEvents, "zrem", call.argv[1]);
  if (set->empty()) call.remove(call.argv[1]);
  return Reply::count(removed);
}

Reply run_zcard(Call& call) {
  const auto* set = call.read<SortedSet>(call.argv[1]);
  return Reply::count(set ? set->size() : 0);
}

Reply run_zscore(Call& call) {
  return score_reply(call, call.read<SortedSet>(call.argv[1]), call.argv[2]);
}

Reply run_zmscore(Call& call) {
  const auto* set = call.read<SortedSet>(call.argv[1]);
  std::vector<Reply> scores;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    scores.push_back(score_reply(call, set, call.argv[i]));
  }
  return Reply::array(std::move(scores));
}

Reply run_zrank(Call& call) { return rank(call, false); }
Reply run_zrevrank(Call& call) { return rank(call, true); }
Reply run_zpopmin(Call& call) { return pop(call, false); }
Reply run_zpopmax(Call& call) { return pop(call, true); }

Reply run_zmpop(Call& call) {
  const Request& argv = call.argv;
  const std::size_t after = end_of_keys(argv, 1);
  const bool max = is_word(argv[after], "max");
  if (!max && !is_word(argv[after], "min")) refuse_syntax();
  const std::int64_t count = count_option(argv, after + 1);
  for (std::size_t i = 2; i < after; ++i) {
    if (!call.at<SortedSet>(argv[i])) continue;
    std::vector<Reply> pairs;
    for (const auto& [member, score] : take(call, argv[i], max, count)) {
      pairs.push_back(Reply::array({Reply::bulk(member), shown_score(call, score)}));
    }
    return Reply::array({Reply::bulk(argv[i]), Reply::array(std::move(pairs))});
  }
  return Reply::null();
}

/// ZRANDMEMBER key [count [WITHSCORES]].
Reply run_zrandmember(Call& call) {
  const Request& argv = call.argv;
  const bool counted = argv.size() > 2;
  const std::int64_t count = counted ? signed_count(argv[2]) : 1;
  const bool scores = counted && with_option(argv, "withscores", count);
  const auto* set = call.read<SortedSet>(argv[1]);
  if (!set) return counted ? Reply::array({}) : Reply::null();
  const auto order = ordered(call, *set);
  std::vector<Reply> chosen;
  for (const std::size_t i : chosen_indexes(call, order.size(), count)) {
    chosen.push_back(Reply::bulk(order[i]->first));
    if (scores) chosen.push_back(shown_score(call, order[i]->second.score));
  }
  return counted ? Reply::array(std::move(chosen)) : chosen[0];
}

constexpr Command kZsetsRows[] = {
    {{"zadd", -4, kWrite | kDenyOom | kFast, "sortedset", {{"RW update", 1}}},
     run_zadd,
     {.resp3 = {Resp3Type::number, 2, "incr"}}},
    {{"zincrby", 4, kWrite | kDenyOom | kFast, "sortedset", {{"RW access update", 1}}},
     run_zincrby,
     {.resp3 = {Resp3Type::number}}},
    {{"zrem", -3, kWrite | kFast, "sortedset", {{"RW delete", 1}}}, run_zrem},
    {{"zcard", 2, kReadOnly | kFast, "sortedset", {{"RO", 1}}}, run_zcard},
    {{"zscore", 3, kReadOnly | kFast, "sortedset", {{"RO access", 1}}},
     run_zscore,
     {.resp3 = {Resp3Type::number}}},
    {{"zmscore", -3, kReadOnly | kFast, "sortedset", {{"RO access", 1}}},
     run_zmscore,
     {.resp3 = {Resp3Type::numbers}}},
    {{"zrank", 3, kReadOnly | kFast, "sortedset", {{"RO access", 1}}}, run_zrank},
    {{"zrevrank", 3, kReadOnly | kFast, "sortedset", {{"RO access", 1}}}, run_zrevrank},
    {{"zpopmin", -2, kWrite | kFast, "sortedset", {{"RW access delete", 1}}},
     run_zpopmin,
     {.resp3 = {Resp3Type::scored, 2, "", Resp3Type::one_scored}}},
    {{"zpopmax", -2, kWrite | kFast, "sortedset", {{"RW access delete", 1}}},
     run_zpopmax,
     {.resp3 = {Resp3Type::scored, 2, "", Resp3Type::one_scored}}},
    {{"zmpop", -4, kWrite, "sortedset", {{"RW access delete", 1, kCounted}}},
     run_zmpop,
     {.resp3 = {Resp3Type::named_scored}}},
    {{"zrandmember", -2, kReadOnly, "sortedset", {{"RO access", 1}}, "nondeterministic_output"},
     run_zrandmember,
     {.traits = kByChance, .resp3 = {Resp3Type::scored, 3, "withscores"}}},
};

}  // namespace

std::span<const Command> sorted_set_commands() { return kZsetsRows; }

}  // namespace lockstep::sim
