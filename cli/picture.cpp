// Lanes and rows of a picture; see the header.
#include "cli/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "cli/picture_parts.hpp"
#include "sim/base/token.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

namespace {

using checker::StepData;
using sim::Action;
using sim::Effect;
using Lane = Picture::Lane;

/// The task that takes the step, if it is one of a client.
std::optional<sim::TaskId> task_of_step(const StepData& data, bool shared_connection) {
  if (!data.effects.empty()) return data.effects.front().task;
  const auto step = sim::step_of(data.action);
  if (!sim::is_step(step)) return std::nullopt;
  if (step != Action::Kind::deliver) return data.action.task;
  if (shared_connection) return std::nullopt;
  return data.connection.task;
}

std::string task_name(const sim::ProcessSetup& setup, sim::TaskId task) {
  if (task >= setup.threads) return fmt::format("task {}", task);
  return setup.threads > 1 ? fmt::format("thread {}", task) : "";
}

void add_clients(Picture& picture, const sim::Model& model, const checker::Trace& trace) {
  std::set<std::pair<std::uint8_t, sim::TaskId>> acting;
  for (const auto& [data, prose] : trace.steps) {
    if (const auto task = task_of_step(data, model.program->shared_connection()))
      acting.emplace(data.action.process, *task);
    for (const Effect& effect : data.effects) acting.emplace(data.action.process, effect.task);
  }
  for (const auto& [process, task] : acting)
    picture.lanes.push_back({Lane::Kind::client, process, task, sim::process_name(process),
                             task_name(model.processes[process], task)});
}

void add_servers(Picture& picture, const sim::Model& model, const checker::Trace& trace) {
  const auto servers = sim::servers_of(model);
  for (std::uint8_t server = 0; server < servers.count(); ++server) {
    const auto group = servers.group_of(server);
    picture.lanes.push_back({Lane::Kind::node, server, 0, sim::server_name(server, servers.count()),
                             servers.spare > 0 || group == server
                                 ? ""
                                 : "replica of " + sim::server_name(group, servers.count())});
  }
  const bool resource = std::ranges::any_of(trace.steps, [](const checker::TraceStep& step) {
    return std::ranges::any_of(step.data.requests, [](const checker::NamedRequest& request) {
      return request.node == sim::kResource;
    });
  });
  if (resource) picture.lanes.push_back({Lane::Kind::resource, sim::kResource, 0, "resource", ""});
}

std::string clock_caption(std::int64_t amount_ms) {
  return fmt::format("clock {} {} ms", amount_ms < 0 ? "back" : "forward", std::abs(amount_ms));
}

/// What a client's program does about its lock, in two words or three.
std::string caption_of(const Effect& effect, const std::string& lock) {
  switch (effect.kind) {
    case Effect::Kind::acquired:
      return "holds " + lock;
    case Effect::Kind::reentered:
      return "enters again";
    case Effect::Kind::refused:
      return "does not get " + lock;
    case Effect::Kind::left:
      return effect.ok || effect.silent ? "leaves once" : "told: not its own";
    case Effect::Kind::releasing:
      return "leaves, releases";
    case Effect::Kind::released:
      return effect.ok || effect.silent ? "has released" : "told: not its own";
    case Effect::Kind::failed:
      return effect.in_release ? "error in release()" : "error in acquire()";
    case Effect::Kind::lost:
      return "gives up as lost";
    case Effect::Kind::gave_up:
      return "waits no more";
    case Effect::Kind::exited:
      return "its process ends";
    case Effect::Kind::send:
    case Effect::Kind::instant:
    case Effect::Kind::log:
      return "";
  }
  return "";
}

/// What becomes of a server, in two words or three.
std::string caption_of_node(const Action& action) {
  switch (action.kind) {
    case Action::Kind::node_crash:
      return "crashes";
    case Action::Kind::jump_node:
      return clock_caption(action.amount_ms);
    case Action::Kind::freeze:
      return "clock stands still";
    case Action::Kind::power_loss:
      return "loses power";
    case Action::Kind::node_restart:
      return "restarts";
    case Action::Kind::node_load:
      return "restarts, loading";
    case Action::Kind::receive:
      return "loading";
    case Action::Kind::loaded:
      return "has loaded";
    case Action::Kind::save:
      return "saves to disk";
    case Action::Kind::evict:
      return "evicts a key";
    case Action::Kind::notice:
    case Action::Kind::notice_late:
      return "tells of an expired key";
    case Action::Kind::overlook:
      return "late to tell of an expired key";
    case Action::Kind::flush:
      return "FLUSHALL";
    case Action::Kind::oom:
      return "out of memory";
    case Action::Kind::relief:
      return "has memory again";
    case Action::Kind::lag:
      return "lags";
    case Action::Kind::catch_up:
      return "catches up";
    case Action::Kind::failover:
      return "becomes master";
    case Action::Kind::follow:
      return "follows the master";
    case Action::Kind::miss:
      return "misses a replica";
    case Action::Kind::migrate:
      return "hands slots over";
    case Action::Kind::move_key:
      return "moves a key";
    case Action::Kind::hand_over:
      return "has handed slots over";
    default:
      return "";
  }
}

/// What becomes of a client, of its way to `server`, or of a message, in two words or three.
std::string caption_of_client(const Action& action, const std::string& server) {
  switch (action.kind) {
    case Action::Kind::begin:
      return "starts";
    case Action::Kind::pause:
    case Action::Kind::pause_within:
      return "pauses";
    case Action::Kind::resume:
      return "resumes";
    case Action::Kind::crash:
    case Action::Kind::crash_within:
    case Action::Kind::crash_begin:
      return "crashes";
    case Action::Kind::preempt:
      return "another thread goes first";
    case Action::Kind::delay:
      return "message held back";
    case Action::Kind::release:
      return "message goes on";
    case Action::Kind::lose:
    case Action::Kind::lose_late:
    case Action::Kind::close:
      return "connection breaks";
    case Action::Kind::jump_process:
    case Action::Kind::jump_within:
      return clock_caption(action.amount_ms);
    case Action::Kind::cut:
    case Action::Kind::cut_requests:
    case Action::Kind::cut_replies:
      return "cut off from " + server;
    case Action::Kind::heal:
    case Action::Kind::heal_late:
      return "reaches " + server + " again";
    case Action::Kind::learn:
      return "learns: " + server + " is master";
    default:
      return "";
  }
}

std::string caption_of(const StepData& data, const sim::Model& model) {
  const auto server = sim::server_name(data.action.node, sim::servers_of(model).count());
  std::string text = sim::row(data.action.kind).fields.process
                         ? caption_of_client(data.action, server)
                         : caption_of_node(data.action);
  for (const Effect& effect : data.effects) {
    const auto words = caption_of(effect, sim::lock_name(model, data.action.process, effect.lock));
    if (!words.empty() && !text.ends_with(words)) text += (text.empty() ? "" : "; ") + words;
  }
  return text;
}

std::optional<std::size_t> acting_lane(const Picture& picture, const StepData& data,
                                       const sim::Model& model) {
  const auto& fields = sim::row(data.action.kind).fields;
  if (data.action.kind == Action::Kind::execute && !data.requests.empty())
    return picture.lane_of_node(data.requests.front().node);
  if (!fields.process && fields.node) return picture.lane_of_node(data.action.node);
  if (!fields.process) return std::nullopt;
  const auto task = task_of_step(data, model.program->shared_connection());
  return picture.lane_of(data.action.process, task.value_or(0));
}

bool is_fatal(Action::Kind kind) {
  return sim::is_crash(kind) || kind == Action::Kind::node_crash ||
         kind == Action::Kind::power_loss;
}

/// What has become of a key in a step, if anything. Time alone only takes keys.
std::optional<Picture::Change> change_of(std::uint8_t server, const std::string& name,
                                         const sim::VisibleKey* was, const sim::VisibleKey* is,
                                         bool by_time) {
  const auto key = sim::worded_value(name);
  if (is == nullptr) return {{server, key + (by_time ? " has expired" : " is gone"), ""}};
  const auto expiry = sim::worded_expiry(is->left_ms);
  if (was == nullptr || was->value != is->value)
    return {{server, key + " = " + sim::worded(is->value), expiry}};
  if (by_time || was->left_ms == is->left_ms) return std::nullopt;
  return {{server, key, "now " + expiry}};
}

std::vector<Picture::Change> changes_of(const StepData& data,
                                        const std::vector<sim::VisibleKeys>& before) {
  std::vector<Picture::Change> changes;
  const bool by_time = data.action.kind == Action::Kind::pass;
  for (std::size_t server = 0; server < data.keys.size(); ++server) {
    const auto& was = before[server];
    const auto& is = data.keys[server];
    const auto add = [&](const std::string& name, const sim::VisibleKey* old_one,
                         const sim::VisibleKey* new_one) {
      auto change = change_of(static_cast<std::uint8_t>(server), name, old_one, new_one, by_time);
      if (change) changes.push_back(std::move(*change));
    };
    for (const auto& [name, key] : is) {
      const auto old_one = was.find(name);
      add(name, old_one == was.end() ? nullptr : &old_one->second, &key);
    }
    for (const auto& [name, key] : was)
      if (!is.contains(name)) add(name, &key, nullptr);
  }
  return changes;
}

void add_rows(Picture& picture, const sim::Model& model, const checker::Trace& trace) {
  std::vector<sim::VisibleKeys> before(sim::servers_of(model).count());
  for (const auto& [data, prose] : trace.steps) {
    Picture::Row row;
    row.time_ms = data.time_ms;
    row.passed_ms = data.action.kind == Action::Kind::pass ? data.action.amount_ms : 0;
    row.lane = acting_lane(picture, data, model);
    row.caption = caption_of(data, model);
    row.fault = sim::is_fault(data.action.kind);
    row.fatal = is_fatal(data.action.kind);
    row.changes = changes_of(data, before);
    before = data.keys;
    picture.rows.push_back(std::move(row));
  }
}

}  // namespace

std::optional<std::size_t> Picture::lane_of(std::uint8_t process, sim::TaskId task) const {
  std::optional<std::size_t> first;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane].kind != Lane::Kind::client || lanes[lane].number != process) continue;
    if (lanes[lane].task == task) return lane;
    if (!first) first = lane;
  }
  return first;
}

std::optional<std::size_t> Picture::lane_of_node(std::uint8_t node) const {
  const auto kind = node == sim::kResource ? Lane::Kind::resource : Lane::Kind::node;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[lane].kind == kind && lanes[lane].number == node) return lane;
  return std::nullopt;
}

Picture picture_of(const sim::Model& model, const checker::Trace& trace) {
  Picture picture;
  add_clients(picture, model, trace);
  add_servers(picture, model, trace);
  add_rows(picture, model, trace);
  draw_arrows(picture, model, trace);
  draw_bars(picture, model, trace);
  return picture;
}

}  // namespace lockstep::cli
