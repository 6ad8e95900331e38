// Which of the observations before a step's own matter to it: to vary one takes long, and a loop
// has many that do not.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/ascii.hpp"
#include "sim/client/clock_look.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kFew = 8;  // observations, which are all looked at

/// Whatever comes of a step that may depend on a clock.
std::string shown(const Step& step) {
  std::string text = way_of(step);
  for (const Comparison& each : step.compared) text += fmt::format(" {} {}", each.left, each.right);
  for (const std::int64_t number : numbers_of(step)) text += fmt::format(" {}", number);
  for (const Effect& effect : step.effects) text += ' ' + effect.fencing;
  return text + step.boundary.value_or("");
}

/// The reply with every number moved, the farthest first, so that none is moved onto another one.
Reply all_moved(Reply reply, std::int64_t by) {
  std::vector<std::int64_t> numbers;
  add_numbers_of(reply, numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (by > 0) std::reverse(numbers.begin(), numbers.end());
  for (const std::int64_t number : numbers) reply = moved(std::move(reply), number, by);
  return reply;
}

}  // namespace

std::vector<bool> Look::that_matter() const {
  std::vector<bool> matter(path_.size(), path_.size() <= kFew);
  if (path_.size() <= kFew) return matter;
  matter.back() = true;
  find_matter(0, path_.size() - 1, matter);
  return matter;
}

void Look::find_matter(std::size_t first, std::size_t last, std::vector<bool>& matter) const {
  if (first == last || !may_matter(first, last)) return;
  if (last - first == 1) {
    matter[first] = true;
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  find_matter(first, middle, matter);
  find_matter(middle, last, matter);
}

/// Whether the step comes to something else if these observations were other ones, or it is not
/// known: they are varied together, each by another amount (what is rounded shows by a large one;
/// what a loop waits for is not passed by a negative one). What turned at an earlier step was found
/// there.
bool Look::may_matter(std::size_t first, std::size_t last) const {
  if (!can_vary(first, last)) return false;
  constexpr std::int64_t kMinute = 60 * kSecondMs, kHour = 60 * kMinute;
  const std::string now = shown(step_);
  for (const std::int64_t by : {std::int64_t{1}, kSecondMs, kMinute, kHour, 24 * kHour}) {
    bool ran = false;
    for (const std::int64_t way : {-by, by}) {
      const std::optional<Step> step = run(Case{snapshot_, all_later(first, last, way)});
      if (step && shown(*step) != now) return true;
      ran = ran || step;
    }
    if (!ran && (by == 1 || last - first > 1)) return true;
  }
  return false;
}

bool Look::can_vary(std::size_t first, std::size_t last) const {
  const auto within = [&](std::size_t place) { return first <= place && place < last; };
  for (const ClockAnswer& answer : step_.clock_answers)
    if (within(answer.observation)) return true;
  for (std::size_t place = first; place < last; ++place) {
    std::vector<std::int64_t> numbers;
    add_numbers_of(*path_[place].reply, numbers);
    if (std::ranges::any_of(numbers, [](auto number) { return number >= kFirstTime; })) return true;
    if (uses_.tells_clock_(*path_[place].reply)) return true;
  }
  return false;
}

std::vector<Observation> Look::all_later(std::size_t first, std::size_t last,
                                         std::int64_t by) const {
  const auto later = [&](std::size_t place) {
    return by * static_cast<std::int64_t>(place - first + 1);
  };
  std::vector<Observation> path = path_;
  for (const ClockAnswer& answer : step_.clock_answers) {
    if (answer.observation < first || answer.observation >= last) continue;
    std::string& text = path[answer.observation].answers[answer.answer];
    const int slope = answer.slope == 0 ? 1 : answer.slope;
    text = std::to_string(whole_number_in(text) + slope * later(answer.observation));
  }
  for (std::size_t place = first; place < last; ++place)
    if (can_vary(place, place + 1)) path[place].reply = all_moved(*path[place].reply, later(place));
  return path;
}

}  // namespace lockstep::sim
