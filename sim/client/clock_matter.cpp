// Which of the observations before a step's own matter to it: to vary one takes long, and a loop
// has many that do not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

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
  const auto [known, added] = uses_.matters_.try_emplace(
      key_of(without_times(snapshot_)) + written(path_) + way_of(step_), matter);
  if (!added) return known->second;
  std::vector<Earlier> others;  // what has mattered before probably does again
  for (const Earlier& each : earlier()) {
    const bool before = each.place < uses_.mattered_.size() && uses_.mattered_[each.place];
    before ? find_matter(std::array{each}, matter) : others.push_back(each);
  }
  find_matter(others, matter);
  matter.back() = true;
  uses_.mattered_ = known->second = matter;
  return matter;
}

std::vector<Look::Earlier> Look::earlier() const {
  std::vector<bool> answered(path_.size(), false);
  for (const ClockAnswer& answer : step_.clock_answers) answered[answer.observation] = true;
  std::vector<Earlier> found;
  for (std::size_t place = 0; place + 1 < path_.size(); ++place) {
    const Observation& observation = path_[place];
    std::vector<std::int64_t> numbers;
    add_numbers_of(*observation.reply, numbers);
    const bool in_reply =
        observation.kind == Observation::Kind::reply &&
        (std::ranges::any_of(numbers, [](auto number) { return number >= kFirstTime; }) ||
         uses_.tells_clock_(*observation.reply));
    if (in_reply || answered[place]) found.push_back({place, in_reply});
  }
  return found;
}

void Look::find_matter(std::span<const Earlier> varied, std::vector<bool>& matter) const {
  if (varied.empty() || !may_matter(varied)) return;
  if (varied.size() == 1) {
    matter[varied.front().place] = true;
    return;
  }
  const std::size_t half = varied.size() / 2;
  find_matter(varied.first(half), matter);
  find_matter(varied.subspan(half), matter);
}

/// Whether the step comes to something else if these observations were other ones, or it is not
/// known: they are varied together, each by another amount (what is rounded shows by a large one;
/// what a loop waits for is not passed by a negative one). What turned at an earlier step was found
/// there.
bool Look::may_matter(std::span<const Earlier> varied) const {
  constexpr std::int64_t kMinute = 60 * kSecondMs, kHour = 60 * kMinute;
  const std::string now = shown(step_);
  for (const std::int64_t by : {std::int64_t{1}, kSecondMs, kMinute, kHour, 24 * kHour}) {
    bool ran = false;
    for (const std::int64_t way : {-by, by}) {
      const std::optional<Step> step = run(Case{snapshot_, all_later(varied, way)});
      if (step && shown(*step) != now) return true;
      ran = ran || step;
    }
    if (!ran && (by == 1 || varied.size() > 1)) return true;
  }
  return false;
}

std::vector<Observation> Look::all_later(std::span<const Earlier> varied, std::int64_t by) const {
  std::vector<std::int64_t> later(path_.size(), 0);
  std::vector<Observation> path = path_;
  std::int64_t count = 0;
  for (const Earlier& each : varied) {
    later[each.place] = by * ++count;
    Observation& observation = path[each.place];
    if (each.in_reply) observation.reply = all_moved(*observation.reply, later[each.place]);
  }
  for (const ClockAnswer& answer : step_.clock_answers) {
    std::string& text = path[answer.observation].answers[answer.answer];
    const int slope = answer.slope == 0 ? 1 : answer.slope;
    text = std::to_string(whole_number_in(text) + slope * later[answer.observation]);
  }
  return path;
}

}  // namespace lockstep::sim
