// Executes requests at other times; see the header.
#include "sim/client/node_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

namespace {

/// What a Unix time counts, in ms; 0 if the number is none of these weeks.
std::int64_t unit_of_time(std::int64_t number, WallTime now) {
  for (const std::int64_t unit : {std::int64_t{1}, kSecondMs})
    if (number > 0 && number < std::numeric_limits<std::int64_t>::max() / kSecondMs &&
        std::abs(number * unit - now.ms) <= kFarthestMs)
      return unit;
  return 0;
}

}  // namespace

bool names_time(const Request& request, WallTime now) {
  std::vector<std::int64_t> numbers;
  for (const std::string& argument : request) add_numbers(argument, numbers);
  return std::ranges::any_of(numbers,
                             [&](std::int64_t number) { return unit_of_time(number, now) != 0; });
}

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
  note_times_sent(met, use);
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
    if (left_ms < 0 || !lifetime_decides(met, later_ms, key, what)) continue;
    explained = true;
    if (left_ms > 0) use.lefts.insert(left_ms);  // 0: it expires
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

/// Whether it would turn at another time if the key lived longer.
bool NodeClocks::lifetime_decides(const Met& met, std::int64_t later_ms, const std::string& key,
                                  Shown what) {
  const auto moves = [&](std::int64_t by) {
    Keyspace keyspace = met.keyspace;
    auto& expires = keyspace.keys.at(key).expires;
    expires = *expires + Duration{by};
    const Met longer{keyspace, met.session, met.request, met.execution};
    return tried(longer, later_ms - 1).shown(what) == tried(longer, later_ms).shown(what);
  };
  return moves(1) || moves(kSecondMs);
}

/// A time that its client sends decides, with one that is stored.
void NodeClocks::note_times_sent(const Met& met, NodeClockUse& use) {
  std::vector<std::int64_t> numbers;
  for (const std::string& argument : met.request) add_numbers(argument, numbers);
  for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end()))
    if (const std::int64_t unit = unit_of_time(number, met.execution.now); unit != 0)
      note_time_sent(met, number, unit, use);
}

void NodeClocks::note_time_sent(const Met& met, std::int64_t number, std::int64_t unit,
                                NodeClockUse& use) {
  const auto shown = [&](const Keyspace& keyspace, std::int64_t more, Shown what,
                         std::int64_t later_ms = 0) {
    Request request = met.request;
    for (std::string& argument : request) argument = sim::with_moved(argument, number, more);
    return tried({keyspace, met.session, request, met.execution}, later_ms).shown(what);
  };
  std::set<std::string> first;
  for (const std::int64_t more : {0, 1, 2, 3})
    first.insert(shown(met.keyspace, more, Shown::values));
  const Shown what = first.size() == 4 ? Shown::forms : Shown::values;
  const auto here = [&](std::int64_t more) { return shown(met.keyspace, more, what); };
  Turns turns = turning_points(here, -kFarthestMs / unit, kFarthestMs / unit);
  use.all = use.all && turns.all;
  const std::vector<std::int64_t> all = numbers_in(met.keyspace);
  const std::set<std::int64_t> stored(all.begin(), all.end());
  for (const std::int64_t other : stored) {  // a command may compare it with nobody seeing it
    const std::int64_t same = other * unit_of_time(other, met.execution.now) / unit - number;
    if (std::abs(same) > kFarthestMs) continue;
    for (const std::int64_t turn : {same, same + 1})
      if (here(turn - 1) != here(turn)) turns.at.insert(turn);
  }
  for (const std::int64_t turn : turns.at) {
    const auto clock_moves = [&](std::int64_t by) {
      return shown(met.keyspace, turn - 1, what, by) == shown(met.keyspace, turn, what, by);
    };
    bool explained = clock_moves(1) || clock_moves(kSecondMs);
    if (explained) use.met.insert(met.execution.now.ms - (number + turn) * unit);
    for (const std::int64_t other : stored) {
      const std::int64_t its_unit = unit_of_time(other, met.execution.now);
      const auto moves = [&](std::int64_t by) {
        const Keyspace moved = with_moved(met.keyspace, other, by);
        return shown(moved, turn - 1, what) == shown(moved, turn, what);
      };
      if (its_unit == 0 || !(moves(1) || moves(kSecondMs))) continue;
      use.met.insert((number + turn) * unit - other * its_unit);
      explained = true;
    }
    use.explained = use.explained && explained;
  }
  if (unit > 1 && !turns.at.empty()) use.units.insert(unit);
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
