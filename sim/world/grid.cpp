// Lays the points of time; see the header.
#include "sim/world/grid.hpp"

#include <algorithm>
#include <cstdlib>

namespace lockstep::sim {

void sort_without_twins(std::vector<std::int64_t>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

Grid::Grid(Setting& setting) : setting_(setting), step_ms_(setting.step_ms()) {}

Id Grid::timers(const TimerCounts& counts) {
  const auto [place, added] = ids_.try_emplace(counts, static_cast<Id>(timers_.size()));
  if (added) timers_.push_back(counts);
  return place->second;
}

/// Of two that are both to come.
Id Grid::both_timers(Id a, Id b) {
  if (a == 0 || b == 0) return a + b;
  return both_.find_or_add(a, b, [&] {
    TimerCounts together = timers_[a];
    for (const auto& [ms, count] : timers_[b]) together[ms] += count;
    return timers(together);
  });
}

Id Grid::part(const ToCome& to_come) {
  const auto [place, added] = part_ids_.try_emplace(to_come, static_cast<Id>(parts_.size()));
  if (added) parts_.push_back(to_come);
  return place->second;
}

Id Grid::all(std::span<const Id> parts, unsigned free_actions, unsigned timeouts, unsigned pauses) {
  bool as_before = free_actions == latest_free_actions_ && timeouts == latest_timeouts_ &&
                   pauses == latest_pauses_;
  latest_free_actions_ = free_actions;
  latest_timeouts_ = timeouts;
  latest_pauses_ = pauses;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    as_before = as_before && parts[i] == latest_parts_[i];
    latest_parts_[i] = parts[i];
  }
  if (as_before) return latest_;
  ToCome all{free_actions, 0, 0, timeouts};
  for (const Id part : parts) {
    all.free_actions += parts_[part].free_actions;
    all.timers = both_timers(all.timers, parts_[part].timers);
    all.ways += parts_[part].ways;
    all.timeouts += parts_[part].timeouts;
  }
  if (pauses > 0 && setting_.pauses_are_limited() && !setting_.knowledge.many_sleeps)
    all.timers =
        both_timers(all.timers, timers({{setting_.rounded(setting_.model.pause_max_ms), pauses}}));
  return latest_ = number(all);
}

/// Equal for distances that differ by what timers can make up for.
std::int64_t Grid::reduced(std::int64_t distance) const {
  if (step_ms_ == 0) return distance;
  const std::int64_t rest = distance % step_ms_;
  return rest < 0 ? rest + step_ms_ : rest;
}

/// How far a free action may lie from another one that it is tight with: something that begins at
/// one still is (or is not any more) at the other. `mirrored`: and each the other way.
Grid::Distances Grid::one_link(bool mirrored) const {
  const Knowledge& known = setting_.knowledge;
  const std::int64_t tick = setting_.model.tick_ms;
  Distances found{0};
  const auto lasts = [&](std::int64_t last, std::int64_t first_after) {
    found.push_back(-last);
    found.push_back(first_after);
  };
  // How far a clock goes on until something turns: a node's, and a process's.
  std::vector<std::int64_t> node_shows(setting_.reaches.begin(), setting_.reaches.end());
  std::vector<std::int64_t> process_shows = node_shows;
  for (const std::int64_t lifetime : known.lifetimes) {
    node_shows.push_back(lifetime + tick);
    for (const std::int64_t left : known.lefts) node_shows.push_back(lifetime - left + tick);
  }
  for (const std::int64_t sleep : known.often_begun) found.push_back(-sleep);  // it is not over yet
  if (setting_.too_long_ms > 0) lasts(setting_.too_long_ms - tick, setting_.too_long_ms);
  process_shows.insert(process_shows.end(), known.ages.begin(), known.ages.end());
  const auto add = [&](const Rate& rate, const std::vector<std::int64_t>& shows) {
    for (const std::int64_t jumped : rate.drifts() ? setting_.jumps : std::set<std::int64_t>{0})
      for (const std::int64_t ms : shows)
        lasts(rate.true_ms(ms - jumped) - tick, rate.true_ms(ms - jumped));
  };
  for (unsigned p = 0; p < setting_.processes; ++p) add(setting_.rate_of(p), process_shows);
  for (unsigned n = 0; n < setting_.nodes; ++n)
    add(setting_.rates[setting_.node_rate(n)], node_shows);
  if (setting_.budget(Fault::power_loss) > 0 && setting_.volatile_ms > 0)
    lasts(setting_.volatile_ms, setting_.rounded(setting_.volatile_ms + 1));
  if (setting_.model.min_replicas > 0) {
    const std::int64_t counted = setting_.rounded(setting_.model.counts_gone_ms);
    lasts(counted, counted);
  }
  if (const std::int64_t down = setting_.rounded(setting_.model.restart_after_ms); down > 0)
    lasts(down, down);
  if (known.clocks_jump)
    for (const std::int64_t jump : setting_.model.jumps_ms) lasts(jump, jump);
  for (std::size_t i = 0, end = mirrored ? found.size() : 0; i < end; ++i)
    found.push_back(-found[i]);
  sort_without_twins(found);
  return found;
}

/// Of one of these and one of those; no more than there can be.
Grid::Distances Grid::sums(const Distances& some, const Distances& others) {
  Distances sums;
  for (const std::int64_t one : some) {
    for (const std::int64_t other : others) sums.push_back(reduced(one + other));
    if (sums.size() < kMostAtOnce) continue;
    sort_without_twins(sums);
    if (sums.size() > kMostDistances) break;
  }
  sort_without_twins(sums);
  if (sums.size() <= kMostDistances) return sums;
  if (setting_.counts_sleeps())
    setting_.needs.many_sleeps = true;
  else
    setting_.sampled = true;
  return some;
}

Grid::Distances Grid::distances(const ToCome& to_come) {
  Distances found{0};
  const auto add = [&](unsigned count, const Distances& link) {
    for (unsigned i = 0; i < count && !setting_.sampled && !setting_.needs.many_sleeps; ++i) {
      const std::size_t before = found.size();
      found = sums(found, link);
      if (found.size() == before) break;  // 0 is a link: there are no more of them
    }
  };
  add(to_come.free_actions, one_link(to_come.mirrored));
  for (const auto& [ms, count] : timers_[to_come.timers]) add(count, {-ms, 0, ms});
  Distances timeout{0};
  for (const std::int64_t ms : setting_.knowledge.timeouts)
    timeout.insert(timeout.end(), {-ms, ms});
  add(to_come.timeouts, timeout);
  add(to_come.ways, {-setting_.latency_ms, 0});
  return found;
}

Id Grid::number(const ToCome& to_come) {
  if (links_[latest_].to_come == to_come) return latest_;
  const auto [place, added] = numbers_.try_emplace(to_come, static_cast<Id>(links_.size()));
  if (added) links_.push_back({to_come, distances(to_come)});
  return place->second;
}

/// The first instant after now that lies one of these distances from that one; none if all are
/// over.
std::optional<std::int64_t> Grid::next_from(std::int64_t instant, const Distances& found) const {
  const std::int64_t now = reduced(-instant);
  const auto next = std::upper_bound(found.begin(), found.end(), now);
  if (next != found.end()) return *next - now;
  if (step_ms_ == 0) return std::nullopt;
  return found.front() + step_ms_ - now;
}

std::int64_t Grid::first_pause(std::span<const Ahead* const> parts, std::int64_t work_ms,
                               Id to_come, std::int64_t latest) {
  ToCome mirrored = links_[to_come].to_come;
  mirrored.mirrored = true;
  const Distances& found = links_[number(mirrored)].distances;
  const auto consider = [&](std::int64_t instant) {
    latest = std::min(latest, next_from(instant, found).value_or(latest));
  };
  consider(work_ms);
  Distances deadlines;
  for (const Ahead* part : parts)
    for (const std::int64_t deadline : part->deadlines) deadlines.push_back(reduced(deadline));
  sort_without_twins(deadlines);
  for (const std::int64_t later : deadlines)
    for (const std::int64_t sooner : deadlines) consider(work_ms + later - sooner);
  return latest;
}

std::int64_t Grid::find_first_point(const Ahead& ahead, Id to_come) const {
  static constexpr Id kMostKept = 64;  // of a part: the first ones are most
  std::int64_t first = ahead.deadlines.front();
  for (const std::int64_t deadline : ahead.deadlines)
    first = std::min(first, next_from(deadline, links_[to_come].distances).value_or(first));
  if (to_come < kMostKept) {
    if (ahead.points.size() <= to_come) ahead.points.resize(to_come + 1);
    ahead.points[to_come] = first;
  }
  return first;
}

}  // namespace lockstep::sim
