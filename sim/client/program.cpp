// Program: a loaded module and its Lua state, and the replay of a path of observations.
#include "sim/client/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/path.hpp"
#include "sim/client/belief.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/module.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/run.hpp"
#include "sim/client/vm.hpp"

namespace lockstep::sim {
namespace {

/// The protocol.lua in `folder`, as messages name it.
std::string protocol_file(const std::filesystem::path& folder) {
  std::string name = folder.generic_string();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (!is_folder(folder)) throw BadInput(fmt::format("{}: no such protocol folder", name));
  if (!is_file(folder / "protocol.lua"))
    throw BadInput(fmt::format("{}: no protocol.lua in this folder", name));
  return name + "/protocol.lua";
}

}  // namespace

class Program::Impl {
 public:
  Impl(std::filesystem::path folder, ProgramLimits limits,
       program::Module::Shows shows = program::Module::Shows::comparisons)
      : folder_(std::move(folder)),
        limits_(limits),
        vm_(protocol_file(folder_), limits),
        module_(vm_, folder_, shows),
        most_observations_(limits.observations) {}

  /// The same program for such a process. What a process remembers of its functions is of one text.
  Impl& for_setup(const ProcessSetup& setup) {
    if (!setup.shows_accesses) return *this;
    if (!with_accesses_) {
      with_accesses_ = std::make_unique<Impl>(folder_, limits_, program::Module::Shows::accesses);
      with_accesses_->note_lines(noting_lines_);
    }
    return *with_accesses_;
  }

  const std::filesystem::path& folder() const { return folder_; }
  const program::Module& module() const { return module_; }
  void note_lines(int noting) {
    if ((noting > 0) != (noting_lines_ > 0)) vm_.note_lines(noting > 0);
    noting_lines_ = noting;
    if (with_accesses_) with_accesses_->note_lines(noting);
  }
  int noting_lines() const { return noting_lines_; }

  std::uint64_t runs() const { return runs_ + (with_accesses_ ? with_accesses_->runs() : 0); }

  std::string initial(const ProcessSetup& setup, std::span<const int> rounds_done) {
    program::Run run(vm_, module_, setup);
    run.use_up_rounds(rounds_done);
    std::vector<std::uint16_t> instants;
    return program::encode_snapshot(vm_, module_, run, &instants);
  }

  Step run(const ProcessSetup& setup, const std::string& snapshot,
           std::span<const Observation> path) {
    ++runs_;
    Step step;
    {
      program::Run run(vm_, module_, setup);
      program::decode_snapshot(vm_, module_, run, snapshot);
      replay(run, path);
      if (!vm_.stopped()) step = run.report();
    }
    module_.watched().check_unchanged();
    step.query = vm_.query();
    vm_.settle();
    return step;
  }

  std::string belief(const ProcessSetup& setup, const std::string& snapshot,
                     std::span<const Observation> path) {
    program::Run run(vm_, module_, setup);
    program::decode_snapshot(vm_, module_, run, snapshot);
    run.may_leave_answers = true;  // of a path that was tried with another clock reading
    replay(run, path);
    LOCKSTEP_CHECK(!vm_.stopped());
    return program::belief_of(vm_, run);
  }

  std::optional<std::string> broken_invariant(const std::string& world) const {
    return module_.stated().broken(world, module_.watched());
  }

  std::string invariants_compare(const std::string& world) const {
    return module_.stated().compared_of(world);
  }

  std::optional<Step> what_if(const ProcessSetup& setup, const std::string& snapshot,
                              std::span<const Observation> path) {
    std::optional<Step> step;
    {
      program::Run run(vm_, module_, setup);
      run.tolerates_strange_paths = true;
      program::decode_snapshot(vm_, module_, run, snapshot);
      std::size_t fed = 0;
      std::vector<Effect> before;
      std::string way_before;
      while (fed < path.size() && !vm_.stopped() && !run.strange()) {
        std::ranges::move(run.take_effects(), std::back_inserter(before));
        for (const Comparison& each : run.compared()) way_before += program::outcome(each);
        run.may_leave_answers = fed + 1 == path.size();
        run.feed(path[fed++]);
      }
      if (fed == path.size() && !run.strange()) {
        step = vm_.stopped() ? run.report_stopped() : run.report();
        step->before = std::move(before);
        step->way_before = std::move(way_before);
      }
    }
    vm_.forget_complaint();
    return step;
  }

  std::size_t repeated(const ProcessSetup& setup, const std::string& snapshot,
                       std::span<const Observation> path) {
    for (std::size_t count = 1; 2 * count <= path.size(); ++count)
      if (std::ranges::equal(path.last(count), path.last(2 * count).first(count)) &&
          leaves_all(setup, snapshot, path, count))
        return count;
    return 0;
  }

 private:
  /// Whether the last observations leave everything as it was: of tasks that have no coroutine
  /// before or after them, while the others do not go on.
  bool leaves_all(const ProcessSetup& setup, const std::string& snapshot,
                  std::span<const Observation> path, std::size_t count) {
    program::Run run(vm_, module_, setup);
    program::decode_snapshot(vm_, module_, run, snapshot);
    replay(run, path.first(path.size() - count));
    const std::vector<int> under_way = run.with_coroutine();
    const int instants = run.instants;
    const auto before = program::encode_in_midst(vm_, module_, run);
    if (!before) return false;
    for (const Observation& observation : path.last(count)) {
      if (std::ranges::count(under_way, run.serial_of(observation.task)) != 0) return false;
      run.feed(observation);
    }
    return run.with_coroutine() == under_way && run.instants == instants &&
           program::encode_in_midst(vm_, module_, run) == before;
  }

  void replay(program::Run& run, std::span<const Observation> path) {
    std::size_t since_boundary = 0;
    for (const Observation& observation : path) {
      run.feed(observation);
      if (vm_.stopped()) {
        // Only the last observation may lack answers.
        LOCKSTEP_CHECK(!vm_.query() || &observation == &path.back());
        return;
      }
      since_boundary = run.at_boundary() ? 0 : since_boundary + 1;
      if (since_boundary <= most_observations_) continue;
      vm_.complain_at(run.unfinished_line(),
                      fmt::format("waited {} times without coming to an end: a loop that cannot be "
                                  "checked, or a wait within a call beside a timer that goes on; "
                                  "end acquire with `return retry(function() ... end)`, use "
                                  "every(ms, f), or let retry(f, latch) wait",
                                  most_observations_));
      return;
    }
  }

  std::filesystem::path folder_;
  ProgramLimits limits_;
  std::unique_ptr<Impl> with_accesses_;
  int noting_lines_ = 0;  ///< who asks for it
  program::Vm vm_;
  program::Module module_;
  std::size_t most_observations_;
  std::uint64_t runs_ = 0;
};

Program::Program(std::filesystem::path folder, ProgramLimits limits)
    : impl_(std::make_unique<Impl>(std::move(folder), limits)) {}
Program::~Program() = default;

const std::filesystem::path& Program::folder() const { return impl_->folder(); }
const std::string& Program::title() const { return impl_->module().title(); }
const std::string& Program::source() const { return impl_->module().source(); }
const std::string& Program::fingerprint() const { return impl_->module().fingerprint(); }
const std::vector<std::string>& Program::invariants() const {
  return impl_->module().stated().names();
}
void Program::note_lines(bool on) const {
  impl_->note_lines(impl_->noting_lines() + (on ? 1 : -1));
}
std::uint64_t Program::runs() const { return impl_->runs(); }

std::vector<std::string> Program::lease_keys(const std::string& lock_key) const {
  return impl_->module().lease_keys(lock_key);
}

bool Program::names_leases() const { return impl_->module().names_leases(); }

bool Program::shared_connection() const { return impl_->module().shared_connection(); }
bool Program::greets() const { return impl_->module().greets(); }

bool Program::has_shared_mode() const { return impl_->module().has_shared_mode(); }
std::vector<std::string> Program::methods() const { return impl_->module().methods(); }
const Settings& Program::settings() const { return impl_->module().settings(); }

ServerVersion Program::server() const { return impl_->module().server(); }
KeyspaceEvents Program::keyspace_events() const { return impl_->module().keyspace_events(); }
bool Program::tracks() const { return impl_->module().tracks(); }
int Program::nodes() const { return impl_->module().nodes(); }
int Program::replicas() const { return impl_->module().replicas(); }
int Program::quorum(int nodes) const { return impl_->module().quorum(nodes); }
int Program::permits() const { return impl_->module().permits(); }

std::vector<std::string> Program::permanent_keys(const std::string& lock_key) const {
  return impl_->module().permanent_keys(lock_key);
}

std::string Program::script_name(const std::string& body) const {
  for (const program::Script& script : impl_->module().scripts()) {
    if (script.body == body) return script.name;
  }
  return "";
}

std::filesystem::path Program::file_of(const Request& request) const {
  const std::string script = request.size() < 2 ? "" : script_name(request[1]);
  return folder() / (script.empty() ? "protocol.lua" : script);
}

std::string Program::initial(const ProcessSetup& setup, std::span<const int> rounds_done) const {
  return impl_->for_setup(setup).initial(setup, rounds_done);
}

Step Program::run(const ProcessSetup& setup, const std::string& snapshot,
                  std::span<const Observation> path) const {
  return impl_->for_setup(setup).run(setup, snapshot, path);
}

std::size_t Program::repeated(const ProcessSetup& setup, const std::string& snapshot,
                              std::span<const Observation> path) const {
  return impl_->for_setup(setup).repeated(setup, snapshot, path);
}

std::string Program::belief(const ProcessSetup& setup, const std::string& snapshot,
                            std::span<const Observation> path) const {
  return impl_->for_setup(setup).belief(setup, snapshot, path);
}

std::optional<std::string> Program::broken_invariant(const std::string& world) const {
  return impl_->broken_invariant(world);
}

std::string Program::invariants_compare(const std::string& world) const {
  return impl_->invariants_compare(world);
}

std::optional<Step> Program::what_if(const ProcessSetup& setup, const std::string& snapshot,
                                     std::span<const Observation> path) const {
  return impl_->for_setup(setup).what_if(setup, snapshot, path);
}

}  // namespace lockstep::sim
