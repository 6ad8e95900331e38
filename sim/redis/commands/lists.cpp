// Commands on lists that push, pop and move (Redis 7.0 t_list.c).
#include <utility>

#include "sim/keyspace/parts.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

enum class End : std::uint8_t { left, right };

End end_argument(const std::string& text) {
  if (is_word(text, "left")) return End::left;
  if (is_word(text, "right")) return End::right;
  refuse_syntax();
}

// What tells of it.
std::string_view pushed(End end) { return end == End::left ? "lpush" : "rpush"; }
std::string_view popped_at(End end) { return end == End::left ? "lpop" : "rpop"; }

void push(Call& call, List& list, End end, std::string value) {
  ListElement element{std::move(value), call.execution.sender};
  if (end == End::left) {
    list.push_front(std::move(element));
  } else {
    list.push_back(std::move(element));
  }
}

/// Takes off the element at one end. What somebody pops of its own was put there for all.
std::string pop(Call& call, Entry& entry, End end) {
  List& list = std::get<List>(entry.value);
  ListElement element = std::move(end == End::left ? list.front() : list.back());
  if (end == End::left) {
    list.pop_front();
  } else {
    list.pop_back();
  }
  if (element.maker == call.execution.sender) put_up(entry, element.maker);
  return std::move(element.value);
}

Reply push_all(Call& call, End end, bool only_if_there) {
  const std::string& key = call.argv[1];
  if (only_if_there && !call.at<List>(key)) return Reply::number(0);
  auto& list = call.at_or_new<List>(key);
  for (std::size_t i = 2; i < call.argv.size(); ++i) push(call, list, end, call.argv[i]);
  call.notify(kListEvents, pushed(end), key);
  return Reply::count(list.size());
}

/// Takes up to `count` elements off one end; a list without elements does not exist.
Reply pop_some(Call& call, const std::string& key, Entry& entry, End end, std::int64_t count) {
  const List& list = std::get<List>(entry.value);
  std::vector<Reply> popped;
  for (; count > 0 && !list.empty(); --count) popped.push_back(Reply::bulk(pop(call, entry, end)));
  if (!popped.empty()) call.notify(kListEvents, popped_at(end), key);
  if (list.empty()) call.remove(key);
  return Reply::array(std::move(popped));
}

Reply pop_command(Call& call, End end, std::string_view command) {
  if (call.argv.size() > 3) refuse_arity(command);
  const bool counted = call.argv.size() == 3;
  const std::int64_t count = counted ? pop_count(call.argv[2]) : 1;
  Entry* entry = call.entry_at<List>(call.argv[1]);
  if (!entry) return Reply::null();
  Reply popped = pop_some(call, call.argv[1], *entry, end, count);
  return counted ? popped : popped.items[0];
}

/// From one end of a list to one end of another, or of the same one.
Reply move(Call& call, End from, End to) {
  const std::string& source = call.argv[1];
  Entry* entry = call.entry_at<List>(source);
  if (!entry) return Reply::null();
  call.at<List>(call.argv[2]);  // of another type: refused before anything moves
  std::string value = pop(call, *entry, from);
  push(call, call.at_or_new<List>(call.argv[2]), to, value);
  call.notify(kListEvents, pushed(to), call.argv[2]);
  call.notify(kListEvents, popped_at(from), source);
  if (call.at<List>(source)->empty()) call.remove(source);
  return Reply::bulk(std::move(value));
}

Reply run_lpush(Call& call) { return push_all(call, End::left, false); }
Reply run_rpush(Call& call) { return push_all(call, End::right, false); }
Reply run_lpushx(Call& call) { return push_all(call, End::left, true); }
Reply run_rpushx(Call& call) { return push_all(call, End::right, true); }
Reply run_lpop(Call& call) { return pop_command(call, End::left, "lpop"); }
Reply run_rpop(Call& call) { return pop_command(call, End::right, "rpop"); }

Reply run_lmove(Call& call) {
  const End from = end_argument(call.argv[3]);
  return move(call, from, end_argument(call.argv[4]));
}

Reply run_rpoplpush(Call& call) { return move(call, End::right, End::left); }

Reply run_lmpop(Call& call) {
  const Request& argv = call.argv;
  const std::size_t after = end_of_keys(argv, 1);
  const End end = end_argument(argv[after]);
  const std::int64_t count = count_option(argv, after + 1);
  for (std::size_t i = 2; i < after; ++i) {
    Entry* entry = call.entry_at<List>(argv[i]);
    if (!entry) continue;
    return Reply::array({Reply::bulk(argv[i]), pop_some(call, argv[i], *entry, end, count)});
  }
  return Reply::null();
}

constexpr Command kListsRows[] = {
    {{"lpush", -3, kWrite | kDenyOom | kFast, "list", {{"RW insert", 1}}}, run_lpush},
    {{"rpush", -3, kWrite | kDenyOom | kFast, "list", {{"RW insert", 1}}}, run_rpush},
    {{"lpushx", -3, kWrite | kDenyOom | kFast, "list", {{"RW insert", 1}}}, run_lpushx},
    {{"rpushx", -3, kWrite | kDenyOom | kFast, "list", {{"RW insert", 1}}}, run_rpushx},
    {{"lpop", -2, kWrite | kFast, "list", {{"RW access delete", 1}}}, run_lpop},
    {{"rpop", -2, kWrite | kFast, "list", {{"RW access delete", 1}}}, run_rpop},
    {{"lmove", 5, kWrite | kDenyOom, "list", {{"RW access delete", 1}, {"RW insert", 2}}},
     run_lmove,
     {.touches = touches_if_not_null}},
    {{"rpoplpush", 3, kWrite | kDenyOom, "list", {{"RW access delete", 1}, {"RW insert", 2}}},
     run_rpoplpush,
     {.touches = touches_if_not_null}},
    {{"lmpop", -4, kWrite, "list", {{"RW access delete", 1, kCounted}}}, run_lmpop},
};

}  // namespace

std::span<const Command> list_commands() { return kListsRows; }

}  // namespace lockstep::sim
