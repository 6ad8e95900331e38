// Building the interned world: the initial state, and what is worked out once for every interned
// component.
#include "sim/world/world.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

namespace {

template <class List, class Item>
bool contains(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void add_tokens(std::vector<Token>& tokens, bool& cut, std::string_view bytes) {
  const TokenScan scan = scan_tokens(bytes);
  cut = cut || scan.cut;
  for (const Token token : scan.tokens)
    if (!contains(tokens, token)) tokens.push_back(token);
}

void add_tokens(std::vector<Token>& tokens, bool& cut, const Reply& reply) {
  add_tokens(tokens, cut, reply.text);
  for (const auto& item : reply.items) add_tokens(tokens, cut, item);
}

std::vector<ProcessSetup> distinct(const std::vector<ProcessSetup>& setups) {
  std::vector<ProcessSetup> found;
  for (const auto& setup : setups)
    if (!contains(found, setup)) found.push_back(setup);
  return found;
}

/// One fresh client for each lock, which only wants to acquire it.
std::vector<ProcessSetup> probes(const std::vector<ProcessSetup>& setups) {
  std::vector<ProcessSetup> found;
  std::set<std::string> seen;
  for (const auto& setup : setups) {
    for (std::uint8_t lock = 0; lock < setup.lock_keys.size(); ++lock) {
      if (!seen.insert(setup.lock_keys[lock]).second) continue;
      ProcessSetup probe = setup;
      probe.workload = {{WorkStep::Kind::lock, lock, 0}};
      probe.rounds = 0;
      probe.threads = 1;
      found.push_back(probe);
    }
  }
  return found;
}

std::vector<ProcessSetup> all_setups(const std::vector<ProcessSetup>& setups) {
  std::vector<ProcessSetup> all = distinct(setups);
  for (auto& probe : probes(setups)) all.push_back(std::move(probe));
  return all;
}

/// Whether the names of tokens decide the order of a sorted set: members of the same score.
bool ordered_by_tokens(const Entry& entry) {
  const auto* set = std::get_if<SortedSet>(&entry.value);
  if (!set) return false;
  const auto order = in_order(*set);
  return std::ranges::adjacent_find(order, [](const auto* a, const auto* b) {
           return a->second.score == b->second.score && !scan_tokens(a->first).tokens.empty() &&
                  !scan_tokens(b->first).tokens.empty();
         }) != order.end();
}

/// Tokens are recycled only if the model merges them.
Knowledge within(const Model& model, Knowledge knowledge) {
  knowledge.recycles_tokens = knowledge.recycles_tokens && model.merges_tokens;
  return knowledge;
}

}  // namespace

World::World(const Model& model, const Knowledge& knowledge)
    : model_(model),
      processes_(static_cast<unsigned>(model.processes.size())),
      nodes_(1),
      nodes_fail_(model.budget[static_cast<std::size_t>(Fault::node_crash)] +
                      model.budget[static_cast<std::size_t>(Fault::power_loss)] >
                  0),
      knowledge_(within(model, knowledge)),
      needs_(knowledge_),
      automaton_(*model.program, all_setups(model.processes)) {
  LOCKSTEP_CHECK(width() <= kMaxWidth && processes_ >= 1 && processes_ <= 8);
  const std::vector<ProcessSetup> setups = distinct(model.processes);
  for (const auto& process : model.processes) {
    const auto setup = std::find(setups.begin(), setups.end(), process) - setups.begin();
    setup_of_.push_back(static_cast<std::uint32_t>(setup));
    std::vector<std::uint8_t> locks;
    for (const auto& key : process.lock_keys) {
      if (!contains(locks_, key)) locks_.push_back(key);
      locks.push_back(
          static_cast<std::uint8_t>(std::find(locks_.begin(), locks_.end(), key) - locks_.begin()));
    }
    lock_of_.push_back(std::move(locks));
  }
  if (locks_.size() > 8)
    throw BadInput("a model may have at most 8 locks, this one has " +
                   std::to_string(locks_.size()));
  for (std::uint8_t lock = 0; lock < locks_.size(); ++lock) {
    for (const auto& key : model.program->lease_keys(locks_[lock])) leases_.emplace(key, lock);
    for (const auto& key : model.program->permanent_keys(locks_[lock])) permanent_.insert(key);
  }
  for (std::size_t i = setups.size(); i < all_setups(model.processes).size(); ++i)
    probe_setups_.push_back(static_cast<std::uint32_t>(i));

  for (const auto& process : model.processes) {
    use_duration(process.lease_ms);
    for (const auto& step : process.workload) use_duration(step.ms);
  }
  use_duration(model.request_timeout_ms);
  use_duration(model.pause_max_ms);
  knowledge_.durations = needs_.durations;
  grid_.assign(knowledge_.durations.begin(), knowledge_.durations.end());
  if (knowledge_.reads_clock)
    for (const std::int64_t literal : model.program->literals()) grid_.push_back(rounded(literal));
  std::sort(grid_.begin(), grid_.end());
  grid_.erase(std::unique(grid_.begin(), grid_.end()), grid_.end());
  empty_keyspace_ = intern(Keyspace{});
}

World::~World() = default;

void World::initial(Id* state) {
  for (unsigned p = 0; p < processes_; ++p) {
    const auto threads = static_cast<std::size_t>(model_.processes[p].threads);
    Process process;
    process.index = static_cast<std::uint8_t>(p);
    process.rounds.assign(threads, 0);
    process.program = automaton_.initial(setup_of_[p], process.rounds);
    state[p] = intern(process);
  }
  Node node;
  node.keyspace = empty_keyspace_;
  if (model_.persistence == Persistence::rdb) node.images.push_back({empty_keyspace_, 0});
  for (unsigned n = 0; n < nodes_; ++n) state[processes_ + n] = intern(node);
  Run run;
  run.budget = model_.budget;
  state[processes_ + nodes_] = intern(run);
}

std::int64_t World::rounded(std::int64_t ms) const {
  return (ms + model_.tick_ms - 1) / model_.tick_ms * model_.tick_ms;
}

void World::use_duration(std::int64_t ms) {
  if (ms > 0 && needs_.durations.size() < kMaxDurations) needs_.durations.insert(rounded(ms));
}

Id World::intern_request(const Request& request) {
  ByteWriter out;
  write(out, request);
  return requests_.intern(out.take(), [&] { return request; });
}

Id World::intern_reply(const Reply& reply) {
  ByteWriter out;
  write(out, reply);
  return replies_.intern(out.take(), [&] { return reply; });
}

// ---- keyspaces
// ------------------------------------------------------------------------------------------------

Id World::intern(const Keyspace& keyspace) {
  return keyspaces_.intern(encode(keyspace), [&] {
    KeyspaceInfo info;
    info.value = keyspace;
    info.lease_makers.assign(locks_.size(), 0);
    keyspace.for_each([&](const std::string& key, const Entry& entry) {
      add_tokens(info.tokens, info.cut_token, key);
      for (const auto text : texts(entry)) add_tokens(info.tokens, info.cut_token, text);
      if (ordered_by_tokens(entry)) info.cut_token = true;  // renaming could change the order
      if (entry.expires) info.lifetimes.push_back((*entry.expires - kEpoch).ms);
    });
    for (const auto& [key, entry] : keyspace.keys) {  // a lease is in database 0
      const auto lease = leases_.find(key);
      if (lease == leases_.end()) continue;
      info.lease_makers[lease->second] |= static_cast<std::uint16_t>(1U << entry.maker);
      if (!entry.expires && !permanent_.contains(key)) info.leaky = true;
    }
    for (const auto& [sha1, body] : keyspace.scripts) {
      const TokenScan scan = scan_tokens(body);
      info.cut_token =
          info.cut_token || scan.cut || !scan.tokens.empty();  // renaming would change the SHA-1
    }
    return info;
  });
}

// ---- nodes
// ----------------------------------------------------------------------------------------------------

Id World::intern(const Node& node) {
  return node_infos_.intern(encode(node), [&] {
    NodeInfo info;
    info.value = node;
    describe(info);
    return info;
  });
}

void World::describe(NodeInfo& info) {
  const auto look_at = [&](Id id) {
    const KeyspaceInfo& keyspace = keyspaces_[id];
    for (const std::int64_t left : keyspace.lifetimes) {
      if (left > 0) info.deadlines.push_back(left);
      info.deadlines.push_back(left + model_.tick_ms);
    }
    for (const Token token : keyspace.tokens)
      if (!contains(info.tokens, token)) info.tokens.push_back(token);
    info.cut_token = info.cut_token || keyspace.cut_token;
    info.has_expiry = info.has_expiry || !keyspace.lifetimes.empty();
  };
  look_at(info.value.keyspace);
  for (const auto& image : info.value.images) {
    look_at(image.keyspace);
    if (model_.persistence == Persistence::aof_everysec)
      info.deadlines.push_back(rounded(1001 - image.age_ms));
  }
  info.points = grid_points(info.deadlines);
  std::sort(info.deadlines.begin(), info.deadlines.end());
  info.leaky = info.value.up && keyspaces_[info.value.keyspace].leaky;
  info.lease_makers = keyspaces_[info.value.keyspace].lease_makers;
  info.disowned.assign(processes_, FlatMap::kAbsent);
  if (info.cut_token) needs_.recycles_tokens = false;
}

std::vector<std::int64_t> World::grid_points(const std::vector<std::int64_t>& deadlines) const {
  std::vector<std::int64_t> points = deadlines;
  for (const std::int64_t deadline : deadlines)
    for (const std::int64_t duration : grid_)
      for (const std::int64_t off : {-model_.tick_ms, std::int64_t{0}, model_.tick_ms})
        if (deadline - duration + off > 0) points.push_back(deadline - duration + off);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// ---- the run
// --------------------------------------------------------------------------------------------------

Id World::intern(const Run& run) {
  ByteWriter out;
  out.number(run.highest);
  for (const std::uint8_t left : run.budget) out.number(left);
  out.number(run.now_ms);
  out.number(run.outlook_ms);
  return run_infos_.intern(out.take(), [&] {
    RunInfo info;
    info.value = run;
    if (run.outlook_ms > 0) info.deadlines.push_back(run.outlook_ms);
    info.points = grid_points(info.deadlines);
    for (std::size_t fault = 0; fault < run.budget.size(); ++fault) {
      if (run.budget[fault] == 0) continue;
      info.left |= static_cast<std::uint8_t>(1U << fault);
      Run less = run;
      --less.budget[fault];
      info.spent[fault] = intern(less);
    }
    return info;
  });
}

// ---- processes
// ------------------------------------------------------------------------------------------------

Id World::intern(const Process& process) {
  const Id id = process_infos_.intern(encode(process), [&] {
    ProcessInfo info;
    info.value = process;
    describe(info);
    list_actions(info);
    return info;
  });
  if (id == process_rest_.size()) process_rest_.push_back(process_infos_[id].rest);
  return id;
}

void World::describe(ProcessInfo& info) {
  const Process& process = info.value;
  info.cut_off.assign(nodes_, FlatMap::kAbsent);
  for (const auto& holding : process.holdings)
    info.held |= static_cast<std::uint8_t>(1U << holding.lock);
  for (const auto& connection : process.connections) {
    for (const auto& message : connection.messages) {
      for (const auto& argument : requests_[message.request])
        add_tokens(info.tokens, info.cut_token, argument);
      if (message.stage == Stage::answered)
        add_tokens(info.tokens, info.cut_token, replies_[message.reply]);
    }
  }
  bool quiet =
      process.connections.empty() && process.holdings.empty() && process.life != Life::paused;
  bool finished = true;
  if (process.life != Life::dead) {
    const ProgramState& program = automaton_.state(process.program);
    for (const Token token : program.tokens)
      if (!contains(info.tokens, token)) info.tokens.push_back(token);
    info.cut_token = info.cut_token || program.cut_token;
    for (const auto& wait : program.tasks) {
      const bool main = wait.task < process.rounds.size();
      const bool idle = wait.kind == Wait::Kind::idle || wait.kind == Wait::Kind::done;
      const bool begun = main && process.rounds[wait.task] > 0;
      quiet = quiet && idle;
      if (main && wait.kind != Wait::Kind::done && !(wait.kind == Wait::Kind::idle && !begun))
        finished = false;
      info.waiting = info.waiting || wait.in_acquire;
      info.spawned = info.spawned || !main;
      const Timer* timer = info.value.timer(wait.task);
      const bool stands_still = wait.kind == Wait::Kind::work && process.life == Life::paused;
      if (timer != nullptr && timer->left_ms > 0 && !stands_still)
        info.deadlines.push_back(timer->left_ms);
    }
  }
  info.rest = static_cast<std::uint8_t>((quiet ? kQuiet : 0) | (finished ? kFinished : 0));
  if (process.life == Life::paused && model_.pause_max_ms > 0 && process.pause_left_ms > 0)
    info.deadlines.push_back(process.pause_left_ms);
  info.points = grid_points(info.deadlines);
  std::sort(info.deadlines.begin(), info.deadlines.end());
  if (info.cut_token) needs_.recycles_tokens = false;
}

}  // namespace lockstep::sim
