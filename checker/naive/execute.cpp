// What a node and the resource do with a request in a naive world: section 3 of docs/semantics.md.
#include "sim/redis/execute.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/redis/script/observer.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Fault;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;
using sim::Reply;
using sim::Request;

namespace {

/// Whether a sorted set has a lock token in a member: of equal scores, the names decide the order.
bool orders_tokens(const sim::Keyspace& keyspace) {
  bool found = false;
  keyspace.for_each([&](const std::string&, const sim::Entry& entry) {
    const auto* set = std::get_if<sim::SortedSet>(&entry.value);
    if (set == nullptr) return;
    for (const auto& [member, rest] : *set)
      found = found || !sim::scan_tokens(member).tokens.empty();
  });
  return found;
}

/// Of the request, and of what EXEC executes.
std::vector<std::string> all_words(const Request& request, const sim::Session& session) {
  std::vector<std::string> words = request;
  for (const Request& queued : session.queued) std::ranges::copy(queued, std::back_inserter(words));
  return words;
}

/// Visits every other connection to the same node.
template <typename Visit>
void for_each_other(World& world, const Connection& connection, Visit visit) {
  for (Process& process : world.processes) {
    for (Connection& other : process.connections) {
      if (&other != &connection && other.node == connection.node) visit(other);
    }
  }
}

/// The node's keyspace with expiries in whole ms of its clock. Of one that no command touches, what
/// is left over goes with it.
Keyspace as_commands_see_it(const World& world, const Node& node) {
  Keyspace keyspace = with_lifetimes(world, node, node.keyspace);
  keyspace.shift_expiry({clock_of(world, node).ms});
  return keyspace;
}

/// The other way round. In an absolute run an expiry is an instant of the clock; else it lies so
/// far from now, wherever in a ms the clock is.
Keyspace as_stored(const World& world, const Node& node) {
  Keyspace keyspace = node.keyspace;
  const std::int64_t clock = wall_clock(world, node);
  const std::int64_t begun = clock - sim::floor_quotient(clock, kMillion) * kMillion;
  keyspace.for_each([&](const std::string&, sim::Entry& entry) {
    // In an absolute run, what has `sooner` was there before: of every expiry then it is `begun`.
    entry.change_times([&](const sim::Expiry& time) {
      return world.absolute && time.sooner == 0 ? time : time.moved(begun, kMillion);
    });
  });
  return keyspace;
}

std::int64_t fencing_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw sim::BadInput("the fencing token that acquire() returned is \"" + text +
                        "\", not a whole number");
  }
  return number;
}

class LineNotes : public sim::ScriptObserver {
 public:
  explicit LineNotes(std::set<int>& lines) : lines_(lines) {}
  void at_line(int line) override { lines_.insert(line); }
  void called(const Request&, const Reply&) override {}

 private:
  std::set<int>& lines_;
};

}  // namespace

void Rules::execute(World& world, const Action& action, Facts& facts) {
  Process& process = world.processes[action.process];
  Connection& connection = process.connections[action.connection];
  const std::optional<std::size_t> place = executable(world, connection);
  LOCKSTEP_CHECK(place.has_value());
  Message& message = connection.messages[*place];
  greet(world, connection);
  if (!message.blocked && has_to_wait(world, connection, message.request)) return block(message);
  const Message asked = message;
  facts.closed = closes(world, connection, message);
  message.idle = polling(world, action.process, connection) && sim::may_write(asked.request);
  // First of all the message is answered, so that a WRITE is not among those on their way whose
  // basis it makes stale.
  message.state = Message::State::answered;
  message.basis = Basis::none;
  message.in_release = false;
  message.way_ms = rounded_up(model_.latency_ms);
  const bool resource = connection.node == sim::kResource;
  if (!resource)
    message.node_was =
        remembers_stored_ ? stored(world, connection.node, action.process) : "forgotten";
  const Keyspace before = resource ? Keyspace{} : world.nodes[connection.node].keyspace;
  message.unblock();
  try {
    message.reply = resource ? execute_on_resource(world, action.process, connection, asked, facts)
                             : execute_on_node(world, action.process, connection, asked, facts);
  } catch (const sim::BadInput& error) {
    throw sim::BadInput(model_.program->file_of(asked.request).string() + ": " + error.what());
  }
  if (auto& wait = connection.session.wait; wait && !asked.blocked) {
    message = asked;
    std::optional<std::int64_t> wait_ms;
    if (wait->until) wait_ms = (*wait->until - clock_of(world, world.nodes[connection.node])).ms;
    wait->until.reset();
    note_ahead(world, connection, false, true);
    return join_queue(world, connection, message, wait_ms);
  }
  if (!resource)
    note_ahead(world, connection, !same_keys(before, world.nodes[connection.node].keyspace),
               facts.called && !asked.blocked);
  connection.greeted = greets(connection);
  connection.made_before = !resource && connection.open && of_all(Fault::power_loss) > 0;
  connection.stale = false;
  facts.reply = message.reply;
}

namespace {

/// Whether a process holds nothing, asks for nothing, and has begun to take away what it had.
bool is_idle(const Process& process) {
  return process.holdings.empty() &&
         std::ranges::none_of(process.waits, [&](const sim::Wait& wait) {
           const auto task = process.tasks.find(wait.task);
           const bool releases = task != process.tasks.end() && task->second.releasing;
           return wait.in_acquire || (releases && !task->second.wrote);
         });
}

}  // namespace

/// What surrounds an execution on the connection's node.
sim::Execution Rules::execution_on(World& world, std::uint8_t p, const Connection& connection) {
  const Node& node = world.nodes[connection.node];
  sim::Execution execution;
  execution.now = clock_of(world, node);
  execution.micros = node.micros;
  execution.sender = connection.former ? Maker{0} : maker_of(p);
  for (std::uint8_t q = 0; q < world.processes.size(); ++q)
    if (q != p && is_idle(world.processes[q])) execution.idle |= sim::only_maker(maker_of(q));
  execution.scripts = &scripts_;
  execution.may_wait = true;
  execution.may_listen = connection.listens;
  execution.acknowledged = acknowledged(world, connection);
  execution.mode = {.version = model_.server,
                    .replica = node.follows.has_value(),
                    .few_replicas = few_replicas(world, connection.node),
                    .over_memory = node.full,
                    .loading = node.is_reading(),
                    .cluster = model_.cluster,
                    .slots = node.slots,
                    .other_node = sim::other_of_two(connection.node),
                    .draw_seed = model_.draw_seed,
                    .later_from = model_.later_from,
                    .field_order = model_.field_order,
                    .keyspace_events = model_.keyspace_events};
  for_each_other(world, connection, [&](const Connection& other) {
    for (const auto& [place, was_there] : other.session.watched) execution.watched.push_back(place);
    if (other.listens && other.open) execution.listening.push_back(other.session.listens_to());
    if (!other.session.wait) return;
    for (const sim::Place& place : other.session.wait->places) execution.watched.push_back(place);
  });
  return execution;
}

/// Whose is what a request has left, beyond who has put it there.
void Rules::tell_whose(const World& world, std::uint8_t p, const Message& asked,
                       const sim::Execution& by, const Keyspace& before, Keyspace& after) const {
  const Maker sender = by.sender;
  const Request& request = asked.request;
  const auto is_lease = [&](const std::string& key) { return lease_keys_.contains(key); };
  sim::drop_shares_unless(after, is_lease);
  sim::Rewriter rewriter{sender, by.idle};
  if (sim::hides_what_is_equal(request)) sim::keep_what_is_as_before(before, after, rewriter);
  if (model_.program->is_shared())
    sim::keep_owners(before, after, sim::WrittenBy{sender, sim::runs_several(request)}, is_lease);
  sim::HandedBy handed{sender};
  for (std::uint8_t q = 0; q < world.processes.size(); ++q)
    if (world.processes[q].crashed) handed.gone |= sim::only_maker(maker_of(q));
  sim::hand_over(before, after, handed, is_lease);
  if (asked.in_release) sim::give_back(before, after, sender, is_lease);
  note_reliances(world, p, asked, sender, before, after, by.now);
}

Reply Rules::execute_on_node(World& world, std::uint8_t p, Connection& connection,
                             const Message& asked, Facts& facts) {
  const Request& request = asked.request;
  Node& node = world.nodes[connection.node];
  const auto came = node.came.empty() ? std::nullopt : std::optional(node.came.front());
  if (asked.in_queue > 0 && !came) return leave_queue(world, connection, asked);
  if (asked.blocked && asked.in_queue == 0) return end_of_wait(world, connection);
  const Keyspace stored_before = node.keyspace;
  node.keyspace = as_commands_see_it(world, node);
  const Keyspace before = node.keyspace;
  sim::Execution execution = execution_on(world, p, connection);
  sim::refuse_unknown(request, model_.server);
  if (servers_.replicas > 0) sim::refuse_with_replicas(request, node.follows.has_value());
  if (node.follows && of_all(Fault::freeze) > 0) sim::refuse_at_replica(request);
  const sim::Execution given = execution;
  if (asked.asking) connection.session.asking = true;
  const sim::Session session = connection.session;
  LineNotes lines(facts.lines);
  execution.observer = tells_lines_ ? &lines : nullptr;
  const auto served = asked.in_queue > 0 ? came : std::nullopt;
  Reply reply = sim::answer(served, node.keyspace, connection.session, request, execution);
  if (execution.looked_at_clock) clock_replies_.insert(sim::bytes_of(reply));
  if (execution.looked_at_clock || execution.looked_at_time ||
      node_clocks_.meets_times(before, request, given.now)) {
    sim::TimeUse use;
    node_clocks_.look_at({before, session, request, given, served}, execution.looked_at_time,
                         expected_.replies, use);
    note_times(use);
  }
  note_hanging({before, session, request, given, served}, execution, reply, node);
  for_each_other(world, connection, [&](Connection& other) {
    for (const sim::Place& place : execution.touched) touch(other.session, place);
  });
  spread_messages(world, connection.node, execution.published);
  for (const sim::Place& place : execution.came)
    if (std::ranges::count(node.came, place) == 0) node.came.push_back(place);
  ++commands_run_;
  facts.called = execution.called;
  facts.looked_at_time = execution.looked_at_time;
  facts.looked_at_clock = execution.looked_at_clock;
  if (execution.looked_at_time) look(world);
  if (execution.looked_at_time && model_.distinct_micros)
    node.micros = std::min<std::int64_t>(node.micros + 1, 999);
  token_cut_ = token_cut_ || execution.ordered_tokens || execution.looked_at_bytes ||
               orders_tokens(node.keyspace);
  node.keyspace.purge(execution.now, sim::tell_of_expired(model_.keyspace_events));
  node.keyspace.for_each([&](const std::string&, sim::Entry& entry) {
    if (entry.expires)
      entry.expires->ms = execution.now.ms + rounded_up((*entry.expires - execution.now).ms);
  });
  tell_whose(world, p, asked, execution, before, node.keyspace);
  if (model_.part_of_ms == sim::PartOfMs::off_leases &&
      (node.drift_ppm != 0 || sim::clients_drift(model_)))
    sim::expire_sooner(before, node.keyspace);
  if (!asked.in_release) note_lease_databases(before, node.keyspace, execution.sender);
  const Keyspace after = node.keyspace;
  node.keyspace = as_stored(world, node);
  note_not_durable(world, node, stored_before);
  if (execution.flushed_all) save_flushed(node);
  judge_execution(world, p, {execution.sender, all_words(request, session)}, before, after, facts);
  note_given(world, p, connection, asked, before, after);
  if (!connection.former && !node.follows) {  // what a replica has is nobody's
    const Sent sent = connection.sent == Sent::now ? asked.sent : connection.sent;
    note_made_and_freed(world, p, servers_.group_of(connection.node), asked, sent, before, after,
                        facts);
    judge_own_removal(world, p, asked, sent, before, after, facts);
    judge_prolonged_outside(world, p, sent, before, after, facts);
  }
  return reply;
}

void Rules::note_hanging(const sim::Met& met, const sim::Execution& execution, const Reply& reply,
                         const Node& after) {
  if (!notes_hanging()) return;
  if (execution.ordered_tokens || execution.left_open) return;
  hangs_ =
      hangs_ || token_bytes_.decide(met, reply, after.keyspace, sim::TokenBytes::Tries::at_once);
}

Reply Rules::execute_on_resource(World& world, std::uint8_t p, const Connection& connection,
                                 const Message& message, Facts& facts) {
  const bool write = message.request[0] == "WRITE";
  LOCKSTEP_CHECK(write || message.request[0] == "READ");
  const bool checked = model_.resource == sim::Resource::fenced ||
                       (model_.resource == sim::Resource::fenced_writes && write);
  if (checked && !message.request[1].empty()) {
    const std::int64_t token = fencing_number(message.request[1]);
    std::int64_t& highest = world.highest_token[message.request.at(2)];
    if (token < highest) {
      return Reply::error("STALE fencing token " + message.request[1] + " is lower than " +
                          std::to_string(highest));
    }
    highest = token;
  }
  if (!write) {
    if (!connection.former) {
      const auto task = world.processes[p].tasks.find(message.sender);
      if (task != world.processes[p].tasks.end()) task->second.basis = Basis::fresh;
    }
    return Reply::ok();
  }
  facts.witnesses.insert(sim::Witness::written);
  if (message.basis == Basis::stale) violated(facts, {sim::Property::no_lost_update, p, p, ""});
  outdate(world, {message.request.begin() + 2, message.request.end()});
  return Reply::ok();
}

/// The resources of these locks were written: whatever else is based on one of them is stale.
void Rules::outdate(World& world, const std::set<std::string>& locks) const {
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    Process& process = world.processes[p];
    for (const auto& [holding, held] : process.holdings) {
      Basis& basis = process.tasks.at(holding.first).basis;
      if (basis == Basis::fresh && locks.contains(model_.processes[p].lock_keys[holding.second]))
        basis = Basis::stale;
    }
    for (Connection& other : process.connections) {
      for (Message& waiting : other.messages) {
        if (waiting.basis != Basis::fresh) continue;
        if (std::any_of(waiting.request.begin() + 2, waiting.request.end(),
                        [&](const std::string& lock) { return locks.contains(lock); }))
          waiting.basis = Basis::stale;
      }
    }
  }
}

}  // namespace lockstep::checker::naive
