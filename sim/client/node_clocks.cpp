// Executes requests at other times; see the header.
#include "sim/client/node_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "sim/base/bytes.hpp"
#include "sim/base/error.hpp"
#include "sim/client/turning.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

namespace {

constexpr double kFarthest = 9e15;  // beyond it, a score is no whole number for certain

/// Every text that a keyspace holds as (part of) a value, changed.
using Change = std::function<std::string(const std::string&)>;

template <class Parts>
void change_names(Parts& parts, const Change& change) {
  Parts changed;
  for (auto& [name, rest] : parts) changed.emplace(change(name), std::move(rest));
  parts = std::move(changed);
}

void change_texts(Entry& entry, const Change& change) {
  if (auto* text = std::get_if<std::string>(&entry.value)) *text = change(*text);
  if (auto* hash = std::get_if<Hash>(&entry.value))
    for (auto& [name, field] : *hash) field.value = change(field.value);
  if (auto* list = std::get_if<List>(&entry.value))
    for (ListElement& element : *list) element.value = change(element.value);
  if (auto* set = std::get_if<Set>(&entry.value)) change_names(*set, change);
  if (auto* set = std::get_if<SortedSet>(&entry.value)) change_names(*set, change);
}

using ChangeScore = std::function<double(double)>;

void change_scores(Entry& entry, const ChangeScore& change) {
  if (auto* set = std::get_if<SortedSet>(&entry.value))
    for (auto& [member, rest] : *set) rest.score = change(rest.score);
}

/// The keyspace as bytes, without expiries, its values as `plain` makes them.
std::string bare(Keyspace keyspace, const Change& plain) {
  keyspace.for_each([&](const std::string&, Entry& entry) {
    entry.expires.reset();
    change_texts(entry, plain);
    change_scores(entry, [&](double score) {
      return plain(fmt::format("{:.0f}", std::abs(score))) == "#" ? 0 : score;
    });
  });
  return encode(keyspace);
}

Reply with_texts(Reply reply, const Change& change) {
  reply.text = change(reply.text);
  if (change(std::to_string(reply.integer)) == "#") reply.integer = 0;
  for (Reply& item : reply.items) item = with_texts(std::move(item), change);
  return reply;
}

/// Numbers in a keyspace's values.
std::vector<std::int64_t> numbers_in(Keyspace keyspace) {
  std::vector<std::int64_t> numbers;
  keyspace.for_each([&](const std::string&, Entry& entry) {
    change_texts(entry, [&](const std::string& text) {
      add_numbers(text, numbers);
      return text;
    });
    change_scores(entry, [&](double score) {
      if (std::abs(score) < kFarthest) numbers.push_back(std::llround(score));
      return score;
    });
  });
  return numbers;
}

/// The keyspace with `number` as `number + by`, wherever numbers_in() finds it.
Keyspace with_moved(Keyspace keyspace, std::int64_t number, std::int64_t by) {
  keyspace.for_each([&](const std::string&, Entry& entry) {
    change_texts(entry, [&](const std::string& text) { return sim::with_moved(text, number, by); });
    change_scores(entry, [&](double score) {
      const bool meant = std::abs(score) < kFarthest && std::llround(score) == number;
      return meant ? score + static_cast<double>(by) : score;
    });
  });
  return keyspace;
}

}  // namespace

struct NodeClocks::Tried {
  Keyspace keyspace;
  Reply reply;
  std::vector<std::pair<double, double>> compared;
  bool ran = true;  ///< false: at that time it cannot be run

  std::string shown(Shown what) const {
    if (!ran) return "";
    std::string text = "ran";
    for (const auto& [left, right] : compared)
      text += left < right ? '<' : left == right ? '=' : '>';
    if (what == Shown::comparisons) return text;
    const auto plain = what == Shown::values ? without_times : without_numbers;
    ByteWriter out;
    write(out, with_texts(reply, plain));
    return text + out.take() + bare(keyspace, plain);
  }
};

NodeClocks::Tried NodeClocks::tried(const Met& met, std::int64_t later_ms) {
  Tried tried{met.keyspace, Reply::null(), {}};
  Session session = met.session;
  Execution execution = met.execution;
  execution.now = execution.now + Duration{later_ms};
  execution.scripts = &scripts_;
  execution.compared = &tried.compared;
  execution.touched.clear();
  try {
    tried.reply = execute(tried.keyspace, session, met.request, execution);
  } catch (const BadInput&) {
    tried.ran = false;
  }
  tried.keyspace.purge(execution.now);
  return tried;
}

bool NodeClocks::is_new(const Met& met) {
  ByteWriter out;
  for (const std::string& argument : met.request) out.text(without_times(argument));
  out.text(bare(met.keyspace, without_times));
  out.text(encode(met.session));
  return known_.insert(out.take()).second;
}

void NodeClocks::look_at(const Met& met, bool looked_at_time, const std::set<std::int64_t>& replies,
                         NodeClockUse& use) {
  if (!is_new(met)) return;
  const Shown what = what_tells(met, looked_at_time);
  for (const std::int64_t turn : turns(met, what, use)) note_turn(met, turn, what, use);
  note_results(met, use);
  const Reply reply = tried(met, 0).reply;
  if (reply.kind != Reply::Kind::integer) return;
  for (const std::int64_t number : replies) note_reply(met, number, use);
}

NodeClocks::Shown NodeClocks::what_tells(const Met& met, bool looked_at_time) {
  if (!looked_at_time) return Shown::comparisons;
  const auto all_differ = [&](std::int64_t step) {
    std::set<std::string> shown;
    for (const std::int64_t times : {0, 1, 2, 3})
      shown.insert(tried(met, times * step).shown(Shown::values));
    return shown.size() == 4;
  };
  return all_differ(1) || all_differ(kSecondMs) ? Shown::forms : Shown::values;
}

/// When it would turn, in ms from now.
std::set<std::int64_t> NodeClocks::turns(const Met& met, Shown what, NodeClockUse& use) {
  const bool looked_at_time = what != Shown::comparisons;
  if (!looked_at_time && tried(met, 0).compared.empty()) return {};
  std::int64_t left_ms = 0;
  met.keyspace.for_each([&](const std::string&, const Entry& entry) {
    if (entry.expires) left_ms = std::max(left_ms, (*entry.expires - met.execution.now).ms);
  });
  const auto shown = [&](std::int64_t later) { return tried(met, later).shown(what); };
  const Turns found =
      turning_points(shown, -kFarthestMs, looked_at_time ? kFarthestMs : left_ms + 1);
  use.all = use.all && found.all;
  return found.at;
}

/// `later_ms` from now it would turn: a key whose lifetime is looked at has so much left then, and
/// a time that is known here, and that decides, lies so far away.
void NodeClocks::note_turn(const Met& met, std::int64_t later_ms, Shown what, NodeClockUse& use) {
  bool explained = false;
  const bool named = std::any_of(met.request.begin(), met.request.end(), [&](const auto& argument) {
    return met.keyspace.keys.contains(argument);
  });
  for (const auto& [key, entry] : met.keyspace.keys) {
    const bool asked = std::find(met.request.begin(), met.request.end(), key) != met.request.end();
    if (!entry.expires || (named && !asked)) continue;
    const std::int64_t left_ms = (*entry.expires - met.execution.now).ms - later_ms + 1;
    explained = explained || left_ms >= 0;  // 0: it expires
    if (left_ms > 0) use.lefts.insert(left_ms);
  }
  if (what == Shown::comparisons) return;
  std::vector<std::int64_t> numbers = numbers_in(met.keyspace);
  for (const std::string& argument : met.request) add_numbers(argument, numbers);
  const std::int64_t turn = (met.execution.now + Duration{later_ms}).ms;
  for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end()))
    for (const std::int64_t unit : {std::int64_t{1}, kSecondMs}) {
      const std::int64_t after = turn - number * unit;
      if (number <= kFarthestMs || std::abs(after) > kFarthestMs) continue;
      if (!decides(met, later_ms, number, what)) continue;
      use.met.insert(after);
      if (unit > 1) use.units.insert(unit);
      explained = true;
    }
  use.explained = use.explained && explained;
}

/// Whether it would turn at another time if it had met a later one: by 1, or by so much that it
/// shows where it is rounded.
bool NodeClocks::decides(const Met& met, std::int64_t later_ms, std::int64_t number, Shown what) {
  const auto moves = [&](std::int64_t by) {
    const Keyspace keyspace = with_moved(met.keyspace, number, by);
    Request request = met.request;
    for (std::string& argument : request) argument = sim::with_moved(argument, number, by);
    const Met moved{keyspace, met.session, request, met.execution};
    return tried(moved, later_ms - 1).shown(what) == tried(moved, later_ms).shown(what);
  };
  return moves(1) || moves(kSecondMs);
}

/// Lifetimes and values that it works out from a clock.
void NodeClocks::note_results(const Met& met, NodeClockUse& use) {
  const Tried now = tried(met, 0), later = tried(met, 1), in_second = tried(met, kSecondMs);
  for (const auto& [key, entry] : now.keyspace.keys) {
    const auto before = met.keyspace.keys.find(key);
    const auto other = later.keyspace.keys.find(key);
    if (!entry.expires || other == later.keyspace.keys.end() || !other->second.expires) continue;
    if (before != met.keyspace.keys.end() && before->second.expires == entry.expires) continue;
    if (*other->second.expires != *entry.expires) continue;  // as long, whenever it begins
    use.computed.insert((*entry.expires - met.execution.now).ms);
    const auto& in_a_second = in_second.keyspace.keys;
    const auto moved = in_a_second.find(key);
    if (moved != in_a_second.end() && moved->second.expires &&
        (*moved->second.expires - *entry.expires).ms == kSecondMs)
      use.units.insert(kSecondMs);
  }
  const std::vector<std::int64_t> numbers = numbers_in(now.keyspace);
  for (const std::int64_t unit : {std::int64_t{1}, kSecondMs}) {
    const std::vector<std::int64_t> moved = numbers_in(tried(met, unit).keyspace);
    if (moved.size() != numbers.size()) continue;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (moved[i] - numbers[i] == 1 && numbers[i] * unit > kFarthestMs) {
        use.made.insert(numbers[i] * unit - met.execution.now.ms / unit * unit);
        if (unit > 1) use.units.insert(unit);
      }
  }
}

/// A client does something else with a reply below `number`.
void NodeClocks::note_reply(const Met& met, std::int64_t number, NodeClockUse& use) {
  const auto below = [&](std::int64_t later) {
    const Reply reply = tried(met, later).reply;
    return std::string(reply.kind == Reply::Kind::integer && reply.integer < number ? "y" : "n");
  };
  for (const std::int64_t turn : turning_points(below, -kFarthestMs, kFarthestMs).at)
    note_turn(met, turn, Shown::comparisons, use);
}

}  // namespace lockstep::sim
