// Budgets and the time of a run; see the header.
#include "sim/world/run.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/base/bytes.hpp"
#include "sim/base/time.hpp"

namespace lockstep::sim {

namespace {

/// How many free actions follow from the fault that were not possible before, or counts begin with
/// it: a process that crashed begins only rounds that were left to it anyway, a link that heals may
/// have kept something that comes later still.
unsigned free_actions_of(Fault fault, const Setting& setting) {
  if (fault == Fault::jump) return setting.knowledge.clocks_jump ? 1 : 0;
  if (fault == Fault::crash) return setting.waits_for_free ? 1 : 0;
  if (fault == Fault::lag || fault == Fault::failover)
    return setting.replication_may_last() ? 1 : 0;
  if (fault == Fault::cut) return 2;
  return fault == Fault::oom || fault == Fault::preempt ? 0 : 1;
}

/// Whether a request may time out because of it: its answer does not come, or is not heard.
bool brings_timeout(Fault fault) { return fault == Fault::delay || fault == Fault::pause; }

}  // namespace

Id Runs::intern(const Run& run) {
  ByteWriter out;
  for (std::size_t lock = 0; lock < setting_.locks.size(); ++lock) out.number(run.highest[lock]);
  for (const std::uint8_t left : run.budget) out.number(left);
  out.number(run.now_ms);
  out.number(run.outlook_ms);
  for (const std::int64_t turn : run.turns_ms) out.number(turn);
  return runs_.intern(out.take(), [&] {
    RunInfo info;
    info.value = run;
    info.ahead = ahead_of(run);
    for (const Fault fault : kFaults) {
      const auto index = static_cast<std::size_t>(fault);
      if (run.budget[index] == 0) continue;
      info.left |= only(fault);
      info.free_actions += free_actions_of(fault, setting_) * run.budget[index];
      if (brings_timeout(fault) && !setting_.knowledge.timeouts.empty())
        info.timeouts += run.budget[index];
      Run less = run;
      --less.budget[index];
      info.spent[index] = intern(less);
    }
    return info;
  });
}

/// When something turns that was looked at; and, as long as absolute time matters, when a clock
/// shows a full second, minute, or what else it is rounded to (1 ms more, where it is rounded up).
Ahead Runs::ahead_of(const Run& run) const {
  Ahead ahead{run.turns_ms, run.outlook_ms, {}};
  const auto add = [&](std::int64_t unit, const Rate& rate, std::int64_t offset) {
    const std::int64_t shown =
        (kEpoch.ms % unit + offset) * rate.parts() + rate.shown_after(run.now_ms);
    const std::int64_t begun = floor_quotient(shown, unit * rate.parts());
    const std::int64_t past = shown - begun * unit * rate.parts();
    const std::int64_t left = setting_.rounded(rate.true_ms(unit, past));
    if (left <= run.outlook_ms) ahead.deadlines.push_back(left);
  };
  for (const std::int64_t unit : setting_.knowledge.units)
    for (const Rate& rate : setting_.rates)
      for (const std::int64_t offset : setting_.offsets) {
        add(unit, rate, offset);
        if (setting_.knowledge.rounds_up) add(unit, rate, offset - 1);
      }
  sort_without_twins(ahead.deadlines);
  return ahead;
}

/// What a run begins with.
Id Runs::initial() {
  Run run;
  run.budget = setting_.model.budget;
  if (setting_.knowledge.absolute) run.now_ms = setting_.model.begins_ms;
  run.outlook_ms = first_outlook_ms();
  return intern(run);
}

Id Runs::time_alone(Id id) {
  Run run;
  run.now_ms = runs_[id].value.now_ms;
  return intern(run);
}

Id Runs::sooner(Id id, std::int64_t ms) {
  return sooner_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Run run = runs_[id].value;
    run.now_ms -= ms;
    return intern(run);
  });
}

Id Runs::without_looks(Id id) {
  return without_looks_.find_or_add(id, 0, [&] {
    Run run = runs_[id].value;
    run.turns_ms.clear();
    run.outlook_ms = std::min(run.outlook_ms, first_outlook_ms());
    return intern(run);
  });
}

Id Runs::age(Id id, std::int64_t ms) {
  return age_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Run run = runs_[id].value;
    run.now_ms += ms;
    run.outlook_ms = std::max<std::int64_t>(0, run.outlook_ms - ms);
    for (std::int64_t& turn : run.turns_ms) turn -= ms;
    std::erase_if(run.turns_ms, [](std::int64_t turn) { return turn <= 0; });
    return intern(run);
  });
}

/// How long it takes until every clock shows `ms` more than any of them shows now, but for offsets.
std::int64_t Runs::until_all_show(std::int64_t ms, std::int64_t now_ms) const {
  const auto [slowest, fastest] = std::ranges::minmax(setting_.rates);
  return slowest.true_ms_ahead_of(fastest, ms, now_ms);
}

Id Runs::after_reading_time(Id id) {
  if (!setting_.knowledge.absolute) return id;  // the search starts again
  RunInfo& info = runs_[id];
  if (info.after_reading_time != FlatMap::kAbsent) return info.after_reading_time;
  Run run = info.value;
  if (run.now_ms - setting_.model.begins_ms > setting_.long_run_ms())
    setting_.obstacle = "a client looks at the absolute time again and again, for ever";
  run.outlook_ms =
      until_all_show(std::max(setting_.longest_matter_ms(), setting_.common_unit_ms()), run.now_ms);
  for (const Rate& made : setting_.rates)
    for (const Rate& met : setting_.rates)
      for (const std::int64_t reach : setting_.reaches_to_ms)
        if (const std::int64_t turn = met.true_ms_ahead_of(made, reach, run.now_ms); turn > 0)
          run.turns_ms.push_back(turn);
  sort_without_twins(run.turns_ms);
  return info.after_reading_time = intern(run);
}

}  // namespace lockstep::sim
