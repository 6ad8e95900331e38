// See the header.
#include "sim/client/token_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/error.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/step_numbers.hpp"
#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

namespace {

using Respell = TokenBytes::Respell;
const Respell kAsItIs = [](std::string_view text) { return std::string(text); };

std::vector<std::string> changed(const std::vector<std::string>& texts, const Respell& change) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(change(text));
  return all;
}

Reply changed(Reply reply, const Respell& change) {
  reply.text = change(reply.text);
  for (Reply& item : reply.items) item = changed(std::move(item), change);
  return reply;
}

/// Nobody's: a name that bears a token is somebody's own, other names may be counted in by all.
template <class Part>
void disown(Part& part) {
  part.maker = 0;
  if constexpr (requires { part.shares; }) part.shares = {};
}

Entry disowned(Entry entry) {
  disown(entry);
  const auto each = [](auto& parts) {
    for (auto& part : parts)
      if constexpr (requires { part.second; })
        disown(part.second);
      else
        disown(part);
  };
  if (auto* hash = std::get_if<Hash>(&entry.value)) each(*hash);
  if (auto* list = std::get_if<List>(&entry.value)) each(*list);
  if (auto* set = std::get_if<Set>(&entry.value)) each(*set);
  if (auto* set = std::get_if<SortedSet>(&entry.value)) each(*set);
  return entry;
}

Keys changed(const Keys& keys, const Respell& change) {
  Keys all;
  for (const auto& [name, entry] : keys)
    all.emplace(change(name), disowned(sim::with_texts(entry, change)));
  return all;
}

Keyspace changed(Keyspace keyspace, const Respell& change) {
  keyspace.keys = changed(keyspace.keys, change);
  for (auto& [number, keys] : keyspace.others) keys = changed(keys, change);
  return keyspace;
}

/// A hash with a field or value that is too long to be stored compactly is not.
void enlarge(Keyspace& keyspace) {
  const auto too_long = [](const auto& field) {
    return field.first.size() > kLongestListpackField ||
           field.second.value.size() > kLongestListpackField;
  };
  keyspace.for_each([&](const std::string&, Entry& entry) {
    const auto* const hash = std::get_if<Hash>(&entry.value);
    if (hash != nullptr && std::ranges::any_of(*hash, too_long)) entry.encoding = Encoding::large;
  });
}

/// What a keyspace holds, however Redis stores it: numbers, and few of them, otherwise than texts.
std::string contents_of(const Keyspace& keyspace, const Respell& undo) {
  Keyspace other = changed(keyspace, undo);
  other.for_each([](const std::string&, Entry& entry) { entry.encoding = Encoding::compact; });
  return encode(other);
}

Effect changed(Effect effect, const Respell& change) {
  effect.request = changed(effect.request, change);
  effect.fencing = change(effect.fencing);
  effect.text = change(effect.text);
  return effect;
}

std::vector<Observation> spelt(std::span<const Observation> path, Spelling& spelling) {
  const Respell spell = [&](std::string_view text) { return spelling.of(text); };
  std::vector<Observation> all(path.begin(), path.end());
  for (Observation& observation : all) {
    observation.reply = changed(*observation.reply, spell);
    observation.answers = changed(observation.answers, spell);
  }
  return all;
}

bool same(const Step& one, const Step& other, const Respell& undo) {
  if (one.effects.size() != other.effects.size() || one.tasks != other.tasks) return false;
  for (std::size_t i = 0; i < one.effects.size(); ++i)
    if (one.effects[i] != changed(other.effects[i], undo)) return false;
  return one.boundary.has_value() == other.boundary.has_value();
}

}  // namespace

std::string TokenBytes::form_of(const std::string& bytes) {
  std::map<Token, std::uint16_t> names;
  const std::string renamed = rename_tokens(bytes, [&](Token token) {
    const auto next = static_cast<std::uint16_t>(names.size() + 1);
    return Token{0, names.try_emplace(token, next).first->second};
  });
  const auto alike = [](std::string_view) { return std::string("0"); };
  return with_digit_runs(renamed, alike);
}

bool TokenBytes::decide(const std::string& form, const std::string& way, Tries tries,
                        const Tried& tried, const std::function<bool()>& numbers_differ,
                        const std::function<Tried()>& for_the_end) {
  if (tries == Tries::at_once) {
    const auto [known, is_new] = at_once_.try_emplace(form, false);
    if (is_new)
      known->second =
          differs_in_any(0, Spelling::kCount, tried).value_or(false) || numbers_differ();
    return known->second;
  }
  if (!known_.insert(form).second) return false;
  if (numbers_differ()) return true;
  if (differs_in_any(Spelling::kPair, Spelling::kUsual, tried).value_or(false)) return true;
  unsigned& before = of_way_[way];
  if (before == kMostOfOneWay) return false;
  too_many_ = too_many_ || later_.size() == kMostLater;
  if (too_many_) return false;
  const bool sample = before++ < kSamples;
  later_.push_back({for_the_end(), sample ? Spelling::kCount : Spelling::kOfEachLength});
  return false;
}

bool TokenBytes::decide_in_the_end() {
  return too_many_ || std::ranges::any_of(std::exchange(later_, {}), [](const Later& later) {
           return differs_in_any(Spelling::kUsual, later.spellings, later.tried).value_or(false);
         });
}

std::optional<bool> TokenBytes::differs_in_any(unsigned from, unsigned to, const Tried& differs) {
  for (unsigned which = from; which < to; ++which)
    if (const auto found = differs(which); !found || *found) return found;
  return false;
}

namespace {

/// What is left of a token then, and how long the whole is, hangs on its length.
bool writes_a_piece(const Request& request) {
  return is_name(request.at(0), "append") || is_name(request[0], "setrange");
}

}  // namespace

/// What a request meets, its texts spelt otherwise.
TokenBytes::Spelt TokenBytes::respelt(const Met& met, const Respell& spell) {
  Spelt spelt{changed(met.keyspace, spell), sim::with_texts(met.session, spell),
              changed(met.request, spell), met.served};
  if (spelt.served) spelt.served->key = spell(spelt.served->key);
  return spelt;
}

/// Throws BadInput.
Reply TokenBytes::executed(Spelt& spelt, const Met& met, std::vector<Compared>* compared,
                           bool* left_open) {
  Execution execution = to_try(met.execution, scripts_, compared);
  Reply reply = answer(spelt.served, spelt.keyspace, spelt.session, spelt.request, execution);
  if (left_open != nullptr) *left_open = execution.left_open;
  return reply;
}

std::optional<bool> TokenBytes::differs(const Met& met, const Reply& reply, const Keyspace& after,
                                        Spelling spelling, Tries tries) {
  const Respell undo = [&](std::string_view text) { return spelling.undone(text); };
  Spelt other = respelt(met, [&](std::string_view text) { return spelling.of(text); });
  if (!spelling.any()) return std::nullopt;
  if (tries == Tries::at_once && writes_a_piece(met.request)) return false;
  // A hash with a field that is longer than most tokens make it may be stored otherwise: no matter.
  if (spelling.is_common()) enlarge(other.keyspace);
  try {
    bool left_open = false;
    const Reply answer = changed(executed(other, met, nullptr, &left_open), undo);
    if (answer != reply) return true;
    if (left_open && spelling.is_common() && tries == Tries::in_the_end) return true;
  } catch (const BadInput&) {
    return true;
  }
  return contents_of(other.keyspace, undo) != contents_of(after, kAsItIs);
}

/// How its comparisons come out.
std::string TokenBytes::way_of(const Met& met) {
  std::vector<Compared> compared;
  Spelt as_it_is{met.keyspace, met.session, met.request, met.served};
  executed(as_it_is, met, &compared);
  std::string way;
  for (const Compared& each : compared) way += each.outcome;
  return way;
}

namespace {

std::string bytes_of(const Met& met) {
  std::string bytes = encode(met.keyspace) + encode(met.session);
  for (const std::string& argument : met.request) bytes += argument + '\0';
  return bytes;
}

/// Which command, or which script.
std::string what_of(const Request& request) {
  return request.at(0) + ' ' + (runs_several(request) && request.size() > 1 ? request[1] : "");
}

bool is_same(double one, double other) {
  return one == other || (std::isnan(one) && std::isnan(other));
}

}  // namespace

bool TokenBytes::numbers_differ(const Met& met) {
  const auto numbers = [&](unsigned which) {
    Spelling spelling(which);
    Spelt other = respelt(met, [&](std::string_view text) { return spelling.of(text); });
    std::vector<Compared> compared;
    executed(other, met, &compared);
    std::vector<double> all;
    for (const Compared& each : compared) all.insert(all.end(), {each.left, each.right});
    // Members of a sorted set are compared in the order of their names.
    std::ranges::sort(all,
                      [](double one, double next) { return std::strong_order(one, next) < 0; });
    return all;
  };
  return !std::ranges::equal(numbers(0), numbers(1), is_same);
}

bool TokenBytes::decide_by_order(const Met& met, const Reply& reply, const Keyspace& after) {
  std::vector<Token> order = scan_tokens(bytes_of(met)).tokens;
  if (order.size() > kMostInOrder) return true;
  std::ranges::sort(order);
  do {
    if (differs(met, reply, after, Spelling(order), Tries::in_the_end).value_or(false)) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

bool TokenBytes::decide(const Met& met, const Reply& reply, const Keyspace& after, Tries tries) {
  const Tried tried = [&](unsigned which) {
    return differs(met, reply, after, Spelling(which), tries);
  };
  if (tries == Tries::in_the_end) {
    const auto found = differs_in_any(0, Spelling::kPair, tried);
    if (!found || *found) return found.has_value();
  }
  const auto for_the_end = [&]() -> Tried {
    return [this, keyspace = met.keyspace, session = met.session, request = met.request,
            execution = met.execution, served = met.served, reply, after](unsigned which) {
      return differs({keyspace, session, request, execution, served}, reply, after, Spelling(which),
                     Tries::in_the_end);
    };
  };
  const std::string way = way_of(met);
  return decide(
      form_of(bytes_of(met) + way), what_of(met.request) + way, tries, tried,
      [&] { return numbers_differ(met); }, for_the_end);
}

std::optional<bool> TokenBytes::differs(const ProcessSetup& setup, const std::string& snapshot,
                                        std::span<const Observation> path, const Step& step,
                                        unsigned which) const {
  Spelling spelling(which);
  const Respell spell = [&](std::string_view text) { return spelling.of(text); };
  const Respell undo = [&](std::string_view text) { return spelling.undone(text); };
  const std::vector<Observation> other_path = spelt(path, spelling);
  const std::string remembered = spell(snapshot);
  if (!spelling.any()) return std::nullopt;
  const std::optional<Step> other = program_.what_if(setup, remembered, other_path);
  return !other || other->stopped || !same(step, *other, undo);
}

bool TokenBytes::numbers_differ(const ProcessSetup& setup, const std::string& snapshot,
                                std::span<const Observation> path) const {
  const auto numbers = [&](unsigned which) -> std::vector<Comparison> {
    Spelling spelling(which);
    const std::optional<Step> step =
        program_.what_if(setup, spelling.of(snapshot), spelt(path, spelling));
    return step ? step->compared : std::vector<Comparison>{};
  };
  return !std::ranges::equal(numbers(0), numbers(1), [](const auto& one, const auto& other) {
    return is_same(one.left, other.left) && is_same(one.right, other.right);
  });
}

bool TokenBytes::decide(const ProcessSetup& setup, const std::string& snapshot,
                        std::span<const Observation> path, const Step& step, Tries tries) {
  std::optional<Step> before;
  // Where tokens that are spelt so have led elsewhere before, nothing can be said of this step.
  const auto led_elsewhere = [&](unsigned which) {
    const auto walked = path.first(path.size() - 1);
    if (!before) before = program_.what_if(setup, snapshot, {walked.begin(), walked.end()});
    return !before || differs(setup, snapshot, walked, *before, which).value_or(false);
  };
  const Tried tried = [&](unsigned which) -> std::optional<bool> {
    if (tries == Tries::at_once && path.size() > 1 && led_elsewhere(which)) return false;
    return differs(setup, snapshot, path, step, which);
  };
  if (tries == Tries::in_the_end) {
    const auto found = differs_in_any(0, Spelling::kPair, tried);
    if (!found || *found) return found.has_value();
  }
  std::string bytes = snapshot;
  for (const Observation& observation : path) {
    bytes += static_cast<char>('a' + static_cast<int>(observation.kind));
    bytes += bytes_of(*observation.reply);
    for (const std::string& answer : observation.answers) bytes += answer + '\0';
  }
  const auto for_the_end = [&]() -> Tried {
    return [this, setup, snapshot, walked = std::vector(path.begin(), path.end()),
            step](unsigned which) { return differs(setup, snapshot, walked, step, which); };
  };
  const std::string course = course_of(step);
  return decide(
      form_of(bytes + course), course, tries, tried,
      [&] { return numbers_differ(setup, snapshot, path); }, for_the_end);
}

}  // namespace lockstep::sim
