// Budgets and the time of a run; see the header.
#include "sim/world/run.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/base/bytes.hpp"
#include "sim/client/program.hpp"

namespace lockstep::sim {

Id Runs::intern(const Run& run) {
  ByteWriter out;
  for (std::size_t lock = 0; lock < setting_.locks.size(); ++lock) out.number(run.highest[lock]);
  for (const std::uint8_t left : run.budget) out.number(left);
  out.number(run.now_ms);
  out.number(run.outlook_ms);
  return runs_.intern(out.take(), [&] {
    RunInfo info;
    info.value = run;
    if (run.outlook_ms > 0) info.ahead.deadlines.push_back(run.outlook_ms);
    info.ahead.lay(grid_);
    for (const Fault fault : kFaults) {
      const auto index = static_cast<std::size_t>(fault);
      if (run.budget[index] == 0) continue;
      info.left |= only(fault);
      Run less = run;
      --less.budget[index];
      info.spent[index] = intern(less);
    }
    return info;
  });
}

Id Runs::aged(Id id, std::int64_t ms) {
  if (!setting_.knowledge.absolute) return id;
  return age_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Run run = runs_[id].value;
    run.now_ms += ms;
    run.outlook_ms = std::max<std::int64_t>(0, run.outlook_ms - ms);
    return intern(run);
  });
}

std::int64_t Runs::patience_ms() const {
  std::int64_t lease = 0;
  for (const auto& process : setting_.model.processes) lease = std::max(lease, process.lease_ms);
  std::int64_t sum = lease + setting_.model.request_timeout_ms;
  for (const std::int64_t literal : setting_.model.program->literals()) sum += literal;
  return setting_.rounded(sum) + setting_.model.tick_ms;
}

Id Runs::looked(Id id) {
  if (!setting_.knowledge.absolute) return id;  // the search starts again
  RunInfo& info = runs_[id];
  if (info.looked != FlatMap::kAbsent) return info.looked;
  std::int64_t largest = 0;
  for (const std::int64_t jump : setting_.model.jumps_ms)
    largest = std::max(largest, std::abs(jump));
  Run run = info.value;
  run.outlook_ms = patience_ms() + setting_.rounded(largest) * setting_.budget(Fault::jump);
  return info.looked = intern(run);
}

}  // namespace lockstep::sim
