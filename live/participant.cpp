// The event loop of a live process; see the header.
#include "live/participant.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <random>

#include "live/naming.hpp"

namespace lockstep::live {

namespace {

using Kind = sim::Observation::Kind;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kRestAfter = 60;    // observations
constexpr milliseconds kLongestNap{20};   // until the referee is asked again whether to go on
constexpr milliseconds kLastWords{1000};  // for answers on their way at the end

sim::Observation observed(Kind kind, sim::TaskId task, std::uint8_t node = 0) {
  sim::Observation observation;
  observation.kind = kind;
  observation.task = task;
  observation.node = node;
  return observation;
}

}  // namespace

Participant::Participant(const sim::Program& program, Part part, Referee& referee,
                         Ownership* ownership)
    : part_(std::move(part)),
      referee_(referee),
      ownership_(ownership),
      client_(program, part_.setup, std::vector<int>(static_cast<std::size_t>(part_.setup.threads)),
              [this](const sim::Query& query) { return answer(query); }) {}

void Participant::run() {
  try {
    loop();
  } catch (...) {
    referee_.caught(std::current_exception());
  }
}

void Participant::loop() {
  while (!referee_.stopped() && !finished())
    if (!take_ready() && !fire_timers() && !take_turn()) listen(Clock::now() + kLongestNap);
  hear_out();
}

bool Participant::finished() const {
  const auto threads = static_cast<sim::TaskId>(part_.setup.threads);
  return std::all_of(client_.waits().begin(), client_.waits().end(), [&](const sim::Wait& wait) {
    return wait.task >= threads || wait.kind == sim::Wait::Kind::done ||
           (wait.kind == sim::Wait::Kind::idle && referee_.winding_down());
  });
}

bool Participant::has_spawned() const {
  return std::any_of(client_.waits().begin(), client_.waits().end(),
                     [&](const sim::Wait& wait) { return wait.task >= part_.setup.threads; });
}

/// What is known already: replies of the resource, connections that could not be made.
bool Participant::take_ready() {
  if (ready_.empty()) return false;
  auto observation = std::move(ready_.front());
  ready_.pop_front();
  const auto* wait = client_.wait_of(observation.task);
  if (wait && wait->kind == sim::Wait::Kind::replies) feed(std::move(observation));
  return true;
}

/// Threads whose rounds overlap never come to a boundary by themselves: now and then the next
/// rounds wait until all have ended.
bool Participant::rests() const {
  if (client_.since_boundary() < kRestAfter) return false;
  return std::any_of(client_.waits().begin(), client_.waits().end(), [this](const auto& wait) {
    return wait.task < part_.setup.threads && wait.kind != sim::Wait::Kind::idle &&
           wait.kind != sim::Wait::Kind::done;
  });
}

/// A task that waits for nothing.
bool Participant::take_turn() {
  for (const auto& wait : client_.waits()) {
    if (wait.kind == sim::Wait::Kind::runnable) {
      feed(observed(Kind::run, wait.task));
      return true;
    }
    if (wait.kind == sim::Wait::Kind::idle && !referee_.winding_down() && !rests()) {
      feed(observed(Kind::begin, wait.task));
      return true;
    }
  }
  return false;
}

bool Participant::fire_timers() {
  const auto due = std::find_if(timers_.begin(), timers_.end(),
                                [now = Clock::now()](const auto& t) { return t.second <= now; });
  if (due == timers_.end()) return false;
  const auto task = due->first;
  timers_.erase(due);
  const auto* wait = client_.wait_of(task);
  const bool timeout = wait && wait->kind == sim::Wait::Kind::replies;
  if (timeout) {
    drop_lines_of(task);
    referee_.heard(part_.process, "gives up waiting for a reply");
  }
  if (wait) feed(observed(timeout ? Kind::timeout : Kind::timer, task));
  return true;
}

/// Waits for replies until the next timer.
void Participant::listen(Clock::time_point until) {
  for (const auto& [task, time] : timers_) until = std::min(until, time);
  std::vector<pollfd> descriptors;
  std::vector<Place> places;
  std::vector<WatchedConnection*> late;
  for (const auto& [place, line] : lines_) {
    if (!line.waiting()) continue;
    descriptors.push_back({line.descriptor(), POLLIN, 0});
    places.push_back(place);
  }
  for (auto& line : late_) {
    descriptors.push_back({line.descriptor(), POLLIN, 0});
    late.push_back(&line);
  }
  const auto nap = std::max(Clock::duration::zero(), until - Clock::now());
  const auto ms = std::chrono::ceil<milliseconds>(nap).count();
  if (poll(descriptors.data(), descriptors.size(), static_cast<int>(ms)) <= 0) return;
  for (std::size_t i = 0; i < late.size(); ++i)
    if (descriptors[places.size() + i].revents != 0) receive_late(*late[i]);
  std::erase_if(late_, [](const WatchedConnection& line) { return !line.waiting(); });
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (descriptors[i].revents != 0 && receive(places[i], true))
      while (receive(places[i], false)) {
      }
  }
}

/// Whether there was a reply, or an error, for the task.
bool Participant::receive(const Place& place, bool readable) {
  const auto found = lines_.find(place);  // a reply before may have ended its task
  if (found == lines_.end() || !found->second.waiting()) return false;
  auto observation = observed(Kind::reply, place.first, place.second);
  try {
    const auto reply = found->second.receive(readable);
    if (!reply) return false;
    observation.reply = *reply;
  } catch (const ConnectionBroken& error) {
    referee_.heard(part_.process, fmt::format("gets a connection error: {}", error.what()));
    lines_.erase(place);
    observation.kind = Kind::broken;
  }
  feed(std::move(observation));
  return true;
}

/// Replies that come when nobody waits for them any more.
void Participant::receive_late(WatchedConnection& line) {
  try {
    for (bool readable = true; line.receive(readable);) readable = false;
  } catch (const ConnectionBroken&) {
    late_.remove_if([&](const WatchedConnection& other) { return &other == &line; });
  }
}

/// The task hears nothing more of this.
void Participant::put_aside(WatchedConnection& line) {
  if (!line.waiting()) return;
  line.give_up();
  late_.push_back(std::move(line));
}

/// The program has ended; what it has sent is executed all the same.
void Participant::hear_out() {
  if (!ownership_ || !ownership_->watching()) return;
  const auto until = Clock::now() + kLastWords;
  for (auto& [place, line] : lines_) put_aside(line);
  lines_.clear();
  timers_.clear();
  while (!late_.empty() && Clock::now() < until) listen(until);
}

void Participant::feed(sim::Observation observation) {
  const auto begun = Clock::now();
  settle(client_.feed(std::move(observation), clocks()), begun);
}

void Participant::settle(const Client::Did& did, Clock::time_point begun) {
  using Effect = sim::Effect::Kind;
  for (const auto& effect : did.effects) {
    referee_.did(part_.process, effect);
    if (ownership_) ownership_->did(part_.process, effect);
    if (effect.kind == Effect::send) send(effect);
    if (effect.kind == Effect::acquired) {
      const auto since =
          acquiring_since_.contains(effect.task) ? acquiring_since_[effect.task] : begun;
      referee_.waited(duration_cast<microseconds>(Clock::now() - since));
    }
  }
  if (ownership_) ownership_->waits(part_.process, client_.waits());
  for (const auto& wait : client_.waits()) {
    const bool timed = wait.kind == sim::Wait::Kind::sleep || wait.kind == sim::Wait::Kind::work ||
                       wait.kind == sim::Wait::Kind::replies;
    if (!timed) timers_.erase(wait.task);
    if (wait.in_acquire)
      acquiring_since_.try_emplace(wait.task, begun);
    else
      acquiring_since_.erase(wait.task);
  }
  for (const auto& wait : did.fresh) start_timer(wait);
  std::set<sim::TaskId> gone;
  for (const auto& [place, line] : lines_)
    if (!client_.wait_of(place.first)) gone.insert(place.first);
  for (const auto task : gone) drop_lines_of(task);
  std::erase_if(timers_, [&](const auto& timer) { return !client_.wait_of(timer.first); });
}

void Participant::start_timer(const sim::Wait& wait) {
  timers_.erase(wait.task);
  const bool timed = wait.kind == sim::Wait::Kind::sleep || wait.kind == sim::Wait::Kind::work;
  const bool at_resource = std::any_of(ready_.begin(), ready_.end(), [&](const auto& reply) {
    return reply.task == wait.task && reply.node == sim::kResource;
  });
  auto ms = wait.ms;
  if (!timed) {
    if (wait.kind != sim::Wait::Kind::replies) return;
    if (ms == 0 && !at_resource) ms = part_.request_timeout_ms;
    if (ms == 0) return;
  }
  timers_[wait.task] = Clock::now() + milliseconds(ms);
}

void Participant::send(const sim::Effect& effect) {
  if (effect.node == sim::kResource) {
    auto& basis = basis_[effect.task];
    ready_.push_back(observed(Kind::reply, effect.task, effect.node));
    ready_.back().reply = referee_.at_resource(part_.process, effect.request, basis);
    if (effect.request[0] == "WRITE") basis.reset();
    return;
  }
  const Place place{effect.task, effect.node};
  try {
    auto line = lines_.find(place);
    if (line == lines_.end())
      line = lines_
                 .emplace(place, WatchedConnection(part_.address, part_.process, effect.task,
                                                   referee_, ownership_))
                 .first;
    line->second.send(effect.request);
  } catch (const ConnectionBroken& error) {
    referee_.heard(part_.process, fmt::format("gets a connection error: {}", error.what()));
    lines_.erase(place);
    ready_.push_back(observed(Kind::broken, effect.task, effect.node));
  }
}

/// The task hears nothing more of what it has sent.
void Participant::drop_lines_of(sim::TaskId task) {
  for (auto& [place, line] : lines_)
    if (place.first == task) put_aside(line);
  std::erase_if(lines_, [task](const auto& line) { return line.first.first == task; });
  std::erase_if(ready_, [task](const auto& observation) { return observation.task == task; });
}

Clocks Participant::clocks() const {
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  const auto steady = Clock::now().time_since_epoch();
  return {duration_cast<milliseconds>(unix_time).count() + part_.clock_offset_ms,
          duration_cast<milliseconds>(steady).count()};
}

std::string Participant::answer(const sim::Query& query) const {
  if (query.kind == sim::Query::Kind::token) return random_token();
  std::random_device device;
  return std::to_string(1 + device() % static_cast<unsigned>(std::max(1, query.choices)));
}

}  // namespace lockstep::live
