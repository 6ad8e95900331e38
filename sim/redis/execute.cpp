// Runs one command, and turns refusals into replies. What is checked before is server/processing's.
#include "sim/redis/execute.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/keyspace/sorted_set_parts.hpp"
#include "sim/redis/commands/attention.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/shortest_number.hpp"
#include "sim/redis/server/connections.hpp"
#include "sim/redis/server/processing.hpp"

namespace lockstep::sim {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool is_name(std::string_view text, std::string_view word) {
  return text.size() == word.size() && lower_case(text) == word;
}

bool is_word(std::string_view text, std::string_view word) { return is_name(c_text(text), word); }

void refuse_syntax() { refuse("ERR syntax error"); }
void refuse_arity(std::string_view command) {
  refuse("ERR wrong number of arguments for '" + std::string(command) + "' command");
}

namespace {

/// Whether a clock that is read again within shows what it has shown before.
bool stands_still(const Execution& execution) {
  const bool within = execution.in_script || execution.in_exec;
  return !within || execution.mode.version != ServerVersion::redis_7_0;
}

/// What a command looks at by its very nature.
void report(const Command& command, Execution& execution) {
  if (!command.has(kLooksAtTime | kLooksAtClock | kLooksAtBytes)) return;
  execution.looked_at_time = execution.looked_at_time || command.has(kLooksAtTime);
  execution.looked_at_clock = execution.looked_at_clock || command.has(kLooksAtClock);
  execution.looked_at_bytes = execution.looked_at_bytes || command.has(kLooksAtBytes);
  if (command.has(kLooksAtTime) && !stands_still(execution)) ++execution.times_within;
}

std::size_t elements_of(const Entry& entry) {
  return std::visit([](const auto& value) { return value.size(); }, entry.value);
}

/// What is there, without meeting it: an expired key is not told of for that.
const Entry* there(const Call& call, const std::string& key) {
  return call.keyspace.find(key, call.execution.now);
}

/// Whether Redis may choose: among the elements of its key, or among all keys.
bool may_choose(const Command& command, const Call& call) {
  if (!command.has(kByChance)) return false;
  if (command.keys().empty()) return call.keyspace.keys.size() > 1;
  const Entry* const entry = call.argv.size() > 1 ? there(call, call.argv[1]) : nullptr;
  return entry != nullptr && elements_of(*entry) > 1;
}

/// SORT with BY and a name without `*` leaves the elements in the order in which they lie.
bool leaves_order(const Request& request) {
  for (std::size_t i = 2; i + 1 < request.size(); ++i)
    if (is_word(request[i], "by")) return request[i + 1].find('*') == std::string::npos;
  return false;
}

/// Whether Redis might have answered in another order: that of a hash table.
bool may_reorder(const Command& command, const Call& call, const Reply& reply) {
  if (!command.has(kUnordered)) return false;
  const bool sorts = command.name.starts_with("sort");
  if (sorts && !leaves_order(call.argv)) return false;
  const Reply* items = &reply;
  if (items->items.size() == 2 && items->items[1].kind == Reply::Kind::array)  // of a scan
    items = &items->items[1];
  if (items->items.size() < 2 && !sorts) return false;
  const std::vector<KeyArgument> keys = keys_of(call.argv);
  return keys.empty() || std::ranges::any_of(keys, [&](const KeyArgument& key) {
           const Entry* const entry = there(call, call.argv[key.position]);
           return entry != nullptr && entry->encoding == Encoding::large &&
                  elements_of(*entry) > 1 && !std::holds_alternative<List>(entry->value) &&
                  !std::holds_alternative<SortedSet>(entry->value);
         });
}

}  // namespace

Reply run_command(const Command& command, Call& call) {
  if (!command.run) {
    std::string name(command.name);
    std::ranges::replace(name, '|', ' ');
    throw BadInput("command '" + name + "': Redis 7.0 has it, but it is not simulated yet");
  }
  report(command, call.execution);
  call.execution.drew = call.execution.drew || may_choose(command, call);
  call.execution.left_open = call.execution.left_open || call.execution.drew;
  std::optional<Attention> attention;  // somebody watches keys or waits for them
  if (command.is(kWrite) && Attention::wanted(call.execution)) attention.emplace(command, call);
  Reply reply;
  try {
    reply = command.run(call);
  } catch (Refused& refused) {
    reply = Reply::error(one_line(std::move(refused.text)));
  }
  if (attention) attention->notice(command, call, reply);
  call.execution.left_open = call.execution.left_open || may_reorder(command, call, reply);
  return reply;
}

Reply execute(Keyspace& keyspace, Session& session, const Request& request, Execution& execution) {
  if (request.empty()) throw BadInput("an empty request: expected a command name");
  Connections unknown;
  SoonestExpiry not_known;  // the keyspace is the caller's
  const Turn turn(keyspace, session, execution, unknown, not_known);
  Reply reply = process(keyspace, look_up(request, execution.mode.version), request, execution);
  tell_who_tracks(execution);
  return reply;
}

Reply execute(Keyspace& keyspace, const Request& request, Execution& execution) {
  Session session;
  Reply reply = execute(keyspace, session, request, execution);
  if (!session.fresh()) {
    throw BadInput("command '" + lower_case(request[0]) +
                   "': its connection would have to remember it, and this is its only request");
  }
  return reply;
}

namespace {

void set_apart(Execution& execution, int reading) {
  constexpr int kLast = std::numeric_limits<decltype(execution.readings_apart)>::digits - 1;
  execution.readings_apart |= decltype(execution.readings_apart){1} << std::min(reading, kLast);
}

/// What the clock has shown when it was last read.
WallTime shown(const Execution& execution) {
  const bool later = execution.mode.later_from > 0 &&
                     execution.readings >= execution.mode.later_from && !execution.now_is_later;
  return execution.now + Duration{later ? 1 : 0};
}

}  // namespace

WallTime Call::clock() {
  if (stands_still(execution)) return execution.now;
  if (++execution.readings > 1) set_apart(execution, execution.readings);
  return shown(execution);
}

WallTime Call::told_clock() {
  const WallTime told = clock();
  if (execution.told_by == 0) execution.told_by = execution.readings;
  if (execution.met_expiry) set_apart(execution, execution.readings);
  return told;
}

bool Call::is_over(WallTime when) const { return when <= shown(execution); }

WallTime began(Execution& execution) {
  if (!execution.in_exec || stands_still(execution)) return execution.now;
  set_apart(execution, ++execution.readings);
  const WallTime now = shown(execution);
  execution.now_is_later = now != execution.now;
  return now;
}

bool Call::stays(Maker maker, std::string_view text) {
  if (maker == kNobody) return false;
  if (maker == execution.sender || execution.sender == kNobody || bears_token(std::string(text)))
    return true;
  execution.rewrote = true;
  return !has_maker(execution.idle, maker);
}

Entry* Call::find(const std::string& key) {
  const auto it = keyspace.keys.find(key);
  if (it == keyspace.keys.end()) {
    notice(key);
    return nullptr;
  }
  Entry& entry = it->second;
  if (!entry.expires) return &entry;
  if (!stands_still(execution)) {
    execution.met_expiry = true;
    if (execution.told_by > 0) set_apart(execution, execution.told_by);
  }
  if (execution.now <= *entry.expires) return &entry;
  // One whose time is over by a clock that has gone on is nobody's work.
  if (execution.now_is_later) return nullptr;
  keyspace.keys.erase(it);
  if (tells_who_tracks(execution)) execution.invalidated.insert(key);
  notify(kExpiredEvents, "expired", key);
  return nullptr;
}

Entry* Call::read(const std::string& key) {
  Entry* const entry = find(key);
  if (!entry) notify(kMissEvents, "keymiss", key);
  return entry;
}

std::string* Call::string_at(const std::string& key) { return at<std::string>(key); }

Entry& Call::set(const std::string& key, std::string value) { return put(key, std::move(value)); }

Reply store_made(Call& call, const std::string& key, Entry made, KeyspaceEvents of_class,
                 std::string_view event) {
  const std::size_t size = elements_of(made);
  if (size == 0) {
    call.remove_unseen(key);
    return Reply::number(0);
  }
  if (const Entry* old = call.find(key)) keep_makers(*old, made);
  place_entry(call, key, std::move(made));
  call.notify(of_class, event, key);
  return Reply::count(size);
}

Maker maker_of_written(const Entry* old, const std::string& text, Maker sender) {
  const auto* was = old ? std::get_if<std::string>(&old->value) : nullptr;
  return was && *was == text && old->maker != 0 && bears_token(text) ? old->maker : sender;
}

Entry& place_entry(Call& call, const std::string& key, Entry entry) {
  const auto [it, is_new] = call.keyspace.keys.insert_or_assign(key, std::move(entry));
  if (is_new) call.notify(kNewEvents, "new", key);
  return it->second;
}

Entry& add_entry(Call& call, const std::string& key, Entry entry) {
  call.erase(key);
  return place_entry(call, key, std::move(entry));
}

Entry& put_entry(Call& call, const std::string& key, decltype(Entry::value) value) {
  Maker maker = call.execution.sender;
  if (const auto* text = std::get_if<std::string>(&value))
    maker = maker_of_written(call.find(key), *text, maker);
  return place_entry(call, key, new_entry(std::move(value), maker));
}

double score_argument(const Call& call, const std::string& text, const char* error) {
  const auto score = parse_score(text);
  const bool hexadecimal = kDecimalScores.has(call.execution.mode.version) && is_hexadecimal(text);
  if (!score || hexadecimal) refuse(error);
  return *score;
}

Reply shown_score(const Call& call, double score) {
  return Reply::bulk(number_reply(call.execution.mode.version, score));
}

SortedSetOrder ordered(Call& call, const SortedSet& set) {
  SortedSetOrder order = in_order(set);
  for (auto one = set.begin(); call.execution.compared != nullptr && one != set.end(); ++one)
    for (auto other = set.begin(); other != one; ++other)
      call.compare(one->second.score, other->second.score);
  call.execution.ordered_tokens = call.execution.ordered_tokens || ties_tokens(order);
  return order;
}

void Call::compare(double left, double right) {
  if (execution.compared != nullptr)
    execution.compared->push_back({left, right, relation(left, right)});
}

void Call::erase(const std::string& key) { keyspace.keys.erase(key); }

void Call::remove(const std::string& key) {
  erase(key);
  notify(kGenericEvents, "del", key);
}

ScriptVm& Call::scripts() const {
  LOCKSTEP_CHECK(execution.scripts != nullptr);
  return *execution.scripts;
}

bool runs_several(const Request& request) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro", "exec"};
  return std::ranges::any_of(kNames, [&](auto name) { return is_name(request.at(0), name); });
}

bool hides_what_is_equal(const Request& request) {
  if (runs_several(request) || is_name(request.at(0), "getset")) return true;
  return is_name(request[0], "set") && request.size() > 3 &&
         std::ranges::any_of(request.begin() + 3, request.end(),
                             [](const std::string& option) { return is_name(option, "get"); });
}

}  // namespace lockstep::sim
