// See automaton.hpp. A path that ends at a boundary is replaced by the boundary's snapshot, so that
// rounds, retries and renewals merge.
#include "sim/world/automaton.hpp"

#include <algorithm>

#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

namespace {

/// More than an operation has that only asks and sleeps a few times.
constexpr std::size_t kManyWaits = 60;

void write(ByteWriter& out, const Observation& observation) {
  out.number(static_cast<int>(observation.kind));
  out.number(observation.task);
  out.number(observation.node);
  out.number(observation.cut);
  out.number(observation.by_access ? 1 : 0);
  sim::write(out, *observation.reply);
  sim::write(out, observation.answers);
}

std::string key(std::uint32_t setup, std::string_view snapshot,
                const std::vector<Observation>& path) {
  ByteWriter out;
  out.number(setup);
  out.text(snapshot);
  for (const auto& observation : path) write(out, observation);
  return out.take();
}

std::vector<Wait> settled(std::vector<Wait> tasks) {
  for (auto& wait : tasks) wait.fresh = false;
  return tasks;
}

TokenUse tokens_of(const std::string& snapshot, const std::vector<Observation>& path) {
  TokenUse tokens;
  tokens.add(std::string_view(snapshot));
  for (const auto& observation : path) {
    tokens.add(*observation.reply);
    tokens.add(observation.answers);
  }
  return tokens;
}

bool is_answer(const Observation& observation) {
  return observation.kind == Observation::Kind::reply ||
         observation.kind == Observation::Kind::broken;
}

/// Whether nothing has run: its task has heard one answer of several, and waits for all of them.
bool heard_part_of(const Observation& observation, const Step& step) {
  return is_answer(observation) && std::ranges::any_of(step.tasks, [&](const Wait& wait) {
           return wait.task == observation.task && wait.together && !wait.fresh;
         });
}

/// The path of a state, and one observation more. Who waits for all answers of a call cannot tell
/// in which order they came (Run::outcome): so it is one, by node, and the last of them is what is
/// observed now.
std::vector<Observation> with_one_more(const ProgramState& from, const Observation& observation) {
  std::vector<Observation> path = from.path;
  path.push_back(observation);
  if (!is_answer(observation)) return path;
  for (std::size_t i = path.size() - 1 - from.heard_part; i + 1 < path.size(); ++i) {
    if (path[i].task != observation.task || path[i].node < path.back().node) continue;
    std::swap(path[i].node, path.back().node);
    std::swap(path[i].kind, path.back().kind);
    std::swap(path[i].reply, path.back().reply);
  }
  return path;
}

/// Calls of several tasks: as if the first task's answers had come first.
void sort_by_task(std::vector<Observation>& path, std::size_t last) {
  std::stable_sort(path.end() - static_cast<std::ptrdiff_t>(last), path.end(),
                   [](const Observation& a, const Observation& b) { return a.task < b.task; });
}

}  // namespace

Automaton::Automaton(const Program& program, std::vector<ProcessSetup> setups, Observer observer)
    : program_(program), setups_(std::move(setups)), observer_(std::move(observer)) {}

Id Automaton::initial(std::uint32_t setup, const std::vector<int>& rounds_done) {
  return root(setup, program_.initial(setups_[setup], rounds_done));
}

Id Automaton::root(std::uint32_t setup, std::string snapshot) {
  return states_.intern(key(setup, snapshot, {}), [&] {
    auto tasks = settled(program_.run(setups_[setup], snapshot, {}).tasks);
    std::string like = rename_tokens(std::string_view(snapshot), [](Token token) {
      return Token{token.process, 1};
    });
    const Id round = rounds_.intern(key(setup, like, {}), [&] { return like; });
    return ProgramState{setup, snapshot, {}, 0, round, std::move(tasks), tokens_of(snapshot, {})};
  });
}

const Transition& Automaton::advance(Id from, const Observation& observation) {
  ByteWriter out;
  out.number(from);
  write(out, observation);
  return transitions_[transitions_.intern(out.take(), [&] { return run(from, observation); })];
}

Transition Automaton::run(Id from, const Observation& observation) {
  const std::uint32_t setup = states_[from].setup;
  std::vector<Observation> path = with_one_more(states_[from], observation);
  Step step = program_.run(setups_[setup], states_[from].snapshot, path);

  Transition transition;
  if (step.query) {
    transition.query = step.query;
    return transition;
  }
  retries_within_ = retries_within_ || step.retries_within;
  loops_by_itself_ = loops_by_itself_ || path.size() > kManyWaits;
  observer_(setups_[setup], states_[from].snapshot, path, step);
  transition.effects = std::move(step.effects);
  transition.again = step.again;
  transition.cuts = step.cuts;
  transition.cut = step.cut;
  loops_ = loops_ || step.again.has_value();
  if (step.boundary) {
    // Between two iterations: of every(), or of a retry() that pauses within an operation.
    for (const Wait& wait : step.tasks)
      loops_ = loops_ || wait.task >= setups_[setup].threads || wait.in_operation || wait.in_call;
    transition.rebased = true;
    transition.instants = std::move(step.instants);
    transition.next = root(setup, std::move(*step.boundary));
  } else {
    const std::size_t heard_part =
        heard_part_of(observation, step) ? states_[from].heard_part + 1 : 0;
    sort_by_task(path, heard_part);
    const std::size_t repeated = program_.repeated(setups_[setup], states_[from].snapshot, path);
    path.resize(path.size() - repeated);
    loops_ = loops_ || repeated > 0;
    transition.next = states_.intern(key(setup, states_[from].snapshot, path), [&] {
      const std::string& snapshot = states_[from].snapshot;
      return ProgramState{setup,
                          snapshot,
                          path,
                          heard_part,
                          states_[from].round,
                          settled(step.tasks),
                          tokens_of(snapshot, path)};
    });
  }
  transition.tasks = std::move(step.tasks);
  return transition;
}

Id Automaton::rename(Id from, const std::function<Token(Token)>& renaming) {
  const ProgramState& state = states_[from];
  Id id = root(state.setup, rename_tokens(state.snapshot, renaming));
  for (Observation observation : state.path) {
    observation.reply = rename_tokens(*observation.reply, renaming);
    observation.answers = rename_tokens(observation.answers, renaming);
    id = advance(id, observation).next;
  }
  return id;
}

Request rename_tokens(const Request& request, const std::function<Token(Token)>& renaming) {
  Request renamed;
  renamed.reserve(request.size());
  for (const auto& argument : request)
    renamed.push_back(rename_tokens(std::string_view(argument), renaming));
  return renamed;
}

Reply rename_tokens(const Reply& reply, const std::function<Token(Token)>& renaming) {
  Reply renamed = reply;
  renamed.text = rename_tokens(std::string_view(reply.text), renaming);
  for (auto& item : renamed.items) item = rename_tokens(item, renaming);
  return renamed;
}

}  // namespace lockstep::sim
