// What a process keeps of a clock beyond the step that read it, varied in the steps after that.
#include <algorithm>

#include "sim/base/token.hpp"
#include "sim/client/clock_look.hpp"
#include "sim/client/reply_times.hpp"

namespace lockstep::sim {

namespace {

constexpr std::size_t kMostKept = 16;  // numbers in what one process remembers
constexpr std::size_t kMostKeptInAll = 50'000;
constexpr int kMostSteps = 24;  // each variation of what is kept takes all of them again

/// The text with the tokens of `names` where it has those of `own`.
std::string with_names(const std::string& text, const std::string& own, const std::string& names) {
  const std::vector<Token> from = scan_tokens(own).tokens, to = scan_tokens(names).tokens;
  return rename_tokens(text, [&](Token token) {
    const auto place = std::find(from.begin(), from.end(), token);
    return place == from.end() ? token : to[static_cast<std::size_t>(place - from.begin())];
  });
}

}  // namespace

void Look::at_kept() {
  const auto place = uses_.kept_.find(key_of(snapshot_));
  if (place == uses_.kept_.end()) return;
  for (const auto& kept : ClockUses::KeptThere(place->second)) {
    const auto with = [&](std::int64_t later_ms) { return after(*kept, later_ms); };
    note_kept_again(kept, with);
    const auto [known, is_new] =
        uses_.known_.try_emplace(key_of(kept->like) + written(path_) + course());
    if (is_new) note_new_kept(*kept, with, place->second, known->second);
    note_rests(known->second, step_, use_);
  }
}

void Look::note_new_kept(const Kept& kept, const Steps& with, const ClockUses::KeptThere& all,
                         RestPlaces& rests) {
  const std::set<std::int64_t> found = turns(with, kept.from, kept.to);
  if (uses_.drift_) use_.mixes = use_.mixes || !found.empty() || works_out(with);
  for (const std::int64_t turn : found)
    kept.time_ms ? note_kept_time(kept, turn, all) : kept.note(use_, turn);
  RestPlaces none;
  if (kept.time_ms)
    StepNumbers(with, {{*kept.time_ms}, -kFarthestMs, true}, use_).note(found, none);
  else
    StepNumbers(with, {{}, kept.from, false}, use_).note_durations_sent();
  if (kept.ages.empty()) return;
  // A duration less what was measured. Of what was worked out otherwise nothing is known here.
  ClockUse measured = use_;
  StepNumbers(with, {kept.ages, kept.from, false}, measured).note(found, rests);
  if (measured.sums)
    use_ = std::move(measured);
  else
    rests.clear();
}

std::optional<Step> Look::after(const Kept& kept, std::int64_t later_ms) const {
  return run(cases_of(kept)(later_ms));
}

void Look::keep(const Steps& vary, Kept kept) {
  if (!step_.boundary) return;
  const std::string way = way_of(step_);
  bool differs = false;
  for (const std::int64_t by : {std::int64_t{1}, kSecondMs, kept.from, kept.to}) {
    const std::optional<Step> other = by < kept.from ? std::nullopt : vary(by);
    differs = differs || (other && other->boundary && *other->boundary != *step_.boundary &&
                          way_of(other) == way);
  }
  if (!differs) return;
  ClockUses::KeptThere& all = uses_.kept_[key_of(*step_.boundary)];
  for (const auto& other : all)
    if (other->like == kept.like) return;
  use_.all = use_.all && all.size() < kMostKept && uses_.kept_count_ < kMostKeptInAll &&
             kept.steps <= kMostSteps;
  if (!use_.all) return;
  ++uses_.kept_count_;
  all.push_back(std::make_shared<const Kept>(std::move(kept)));
}

void Look::note_kept(const Paths& with, Range range,
                     std::function<void(ClockUse&, std::int64_t)> note,
                     std::optional<std::int64_t> time_ms) {
  if (!step_.boundary) return;
  const auto vary = [with, this](std::int64_t later_ms) { return tried(with, later_ms); };
  const std::optional<Step> like = vary(range.like);
  Kept kept{like && like->boundary ? *like->boundary : "",
            *step_.boundary,
            range.like,
            range.from,
            range.to,
            {},
            std::move(note),
            time_ms,
            std::move(range.ages)};
  kept.remembered = [with, program = &uses_.program_, setup = setup_,
                     snapshot = snapshot_](std::int64_t later_ms) {
    const std::optional<Step> step = program->what_if(setup, snapshot, with(later_ms));
    return step ? step->boundary : std::nullopt;
  };
  keep(vary, std::move(kept));
}

void Look::note_kept(const Paths& with, std::int64_t time_ms, std::int64_t unit) {
  const std::int64_t alike = (kFirstTime * kSecondMs - time_ms) / unit;
  note_kept(with, {-kFarthestMs, kFarthestMs, alike}, nullptr, time_ms);
}

void Look::note_kept_again(const std::shared_ptr<const Kept>& kept, const Steps& with) {
  if (!step_.boundary) return;
  const std::optional<Step> like = with(kept->like_by);
  Kept again = *kept;
  again.was = *step_.boundary;
  ++again.steps;
  again.like = like && like->boundary ? *like->boundary : "";
  again.remembered = [kept, program = &uses_.program_, setup = setup_, snapshot = snapshot_,
                      path = path_](std::int64_t later_ms) -> std::optional<std::string> {
    const std::optional<std::string> before = kept->remembered(later_ms);
    if (!before) return std::nullopt;
    const std::optional<Step> step =
        program->what_if(setup, with_names(*before, kept->was, snapshot), path);
    return step ? step->boundary : std::nullopt;
  };
  keep(with, std::move(again));
}

void Look::note_kept_time(const Kept& kept, std::int64_t turn, const ClockUses::KeptThere& all) {
  for (const auto& other : all) {
    if (!other->time_ms || other->like == kept.like) continue;
    const std::int64_t after = *kept.time_ms + turn - *other->time_ms;
    if (std::abs(after) > kFarthestMs) continue;
    const auto step_at = [&](auto later) { return this->after(*other, later); };
    if (way_of(step_at(-turn)) == way_of(step_at(1 - turn))) continue;
    use_.made.insert(0);
    return note_met(after, 1, true, false);
  }
  note_meeting(cases_of(kept), turn, *kept.time_ms + turn, true);
}

ClockUses::KeptThere Look::times_kept() const {
  ClockUses::KeptThere times;
  const auto place = uses_.kept_.find(key_of(snapshot_));
  if (place == uses_.kept_.end()) return times;
  for (const auto& kept : place->second)
    if (kept->time_ms) times.push_back(kept);
  return times;
}

Look::Cases Look::cases_of(const Kept& kept) const {
  return [&kept, this](std::int64_t later_ms) -> std::optional<Case> {
    const std::optional<std::string> remembered = kept.remembered(later_ms);
    if (!remembered) return std::nullopt;
    return Case{with_names(*remembered, kept.was, snapshot_), path_};
  };
}

}  // namespace lockstep::sim
