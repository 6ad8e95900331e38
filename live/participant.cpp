// The event loop of a live process; see the header.
#include "live/participant.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "live/naming.hpp"
#include "live/tracking.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using Waits = sim::Wait::Kind;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kRestAfter = 60;    // observations
constexpr milliseconds kLongestNap{20};   // until the referee is asked again whether to go on
constexpr milliseconds kLastWords{1000};  // for answers on their way at the end

}  // namespace

Participant::Participant(const sim::Program& program, Part part, Referee& referee,
                         Ownership* ownership)
    : part_(std::move(part)),
      referee_(referee),
      ownership_(ownership),
      host_(program, part_.setup, part_.request_timeout_ms, *this) {}

void Participant::run() {
  try {
    loop();
  } catch (...) {
    referee_.caught(std::current_exception());
  }
}

void Participant::loop() {
  while (!referee_.stopped() && !finished())
    if (!take_ready() && !fire_due_timer() && !take_turn() && !take_messages()) listen(nap());
  hear_out();
}

bool Participant::finished() const {
  const auto& waits = host_.waits();
  return std::all_of(waits.begin(), waits.end(), [&](const sim::Wait& wait) {
    return wait.task >= part_.setup.threads || wait.kind == Waits::done ||
           (wait.kind == Waits::idle && referee_.winding_down());
  });
}

bool Participant::has_spawned() const {
  const auto& waits = host_.waits();
  return std::any_of(waits.begin(), waits.end(),
                     [&](const sim::Wait& wait) { return wait.task >= part_.setup.threads; });
}

/// Threads whose rounds overlap never come to a boundary by themselves: now and then the next
/// rounds wait until all have ended.
bool Participant::rests() const {
  if (host_.since_boundary() < kRestAfter) return false;
  const auto& waits = host_.waits();
  return std::any_of(waits.begin(), waits.end(), [this](const sim::Wait& wait) {
    return wait.task < part_.setup.threads && wait.kind != Waits::idle && wait.kind != Waits::done;
  });
}

bool Participant::take_ready() {
  if (ready_.empty()) return false;
  auto ready = std::move(ready_.front());
  ready_.pop_front();
  const auto* wait = host_.wait_of(ready.place.first);
  if (wait && (wait->kind == Waits::replies || wait->kind == Waits::message))
    feed([&ready](Host& host) {
      host.hear(ready.place.first, ready.place.second, std::move(ready.reply));
    });
  return true;
}

bool Participant::fire_due_timer() {
  const auto task = host_.due();
  if (!task) return false;
  if (host_.wait_of(*task)->kind == Waits::replies)
    referee_.heard(part_.process, "gives up waiting for a reply");
  feed([&](Host& host) { host.fire_timer(*task); });
  return true;
}

/// A task that waits for nothing.
bool Participant::take_turn() {
  for (const auto& wait : host_.waits()) {
    const bool starts = wait.kind == Waits::idle && !referee_.winding_down() && !rests();
    if (wait.kind != Waits::runnable && !starts) continue;
    feed([&, task = wait.task](Host& host) { starts ? host.begin(task) : host.run(task); });
    return true;
  }
  return false;
}

/// Lets something happen to the host, and reports what its tasks do from then on.
void Participant::feed(const std::function<void(Host&)>& happening) {
  fed_at_ = Clock::now();
  happening(host_);
  if (ownership_) ownership_->waits(part_.process, host_.waits());
  for (const auto& wait : host_.waits()) {
    if (wait.in_acquire)
      acquiring_since_.try_emplace(wait.task, fed_at_);
    else
      acquiring_since_.erase(wait.task);
  }
}

/// How long nothing but the network can wake it: until the next timer at most.
Participant::Clock::duration Participant::nap() const {
  Clock::duration nap = kLongestNap;
  const auto now = clocks().steady;
  for (const auto& [task, time] : host_.timers()) nap = std::min<Clock::duration>(nap, time - now);
  return nap;
}

// ---- the network --------------------------------------------------------------------------------

/// Waits for replies.
void Participant::listen(Clock::duration longest) {
  std::vector<pollfd> descriptors;
  std::vector<Place> places;
  std::vector<WatchedConnection*> late;
  std::vector<sim::TaskId> listeners;
  for (const auto& [place, connection] : connections_) {
    if (!connection.waiting()) continue;
    descriptors.push_back({connection.descriptor(), POLLIN, 0});
    places.push_back(place);
  }
  for (auto& connection : late_) {
    descriptors.push_back({connection.descriptor(), POLLIN, 0});
    late.push_back(&connection);
  }
  for (const auto& [task, subscription] : subscriptions_) {
    if (!takes_message(task)) continue;
    descriptors.push_back({subscription.socket.descriptor(), POLLIN, 0});
    listeners.push_back(task);
  }
  const auto ms = std::chrono::ceil<milliseconds>(std::max(longest, Clock::duration::zero()));
  if (poll(descriptors.data(), descriptors.size(), static_cast<int>(ms.count())) <= 0) return;
  for (std::size_t i = 0; i < late.size(); ++i)
    if (descriptors[places.size() + i].revents != 0) receive_late(*late[i]);
  for (std::size_t i = 0; i < listeners.size(); ++i)
    if (descriptors[places.size() + late.size() + i].revents != 0) take_message(listeners[i], true);
  std::erase_if(late_, [](const WatchedConnection& connection) { return !connection.waiting(); });
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (descriptors[i].revents != 0 && receive(places[i], true))
      while (receive(places[i], false)) {
      }
  }
}

/// Whether the task listens, and is not busy with what it has heard.
bool Participant::takes_message(sim::TaskId task) const {
  const auto* wait = host_.wait_of(task);
  return wait &&
         (wait->kind == Waits::message || (wait->kind == Waits::replies && wait->subscribes));
}

/// Whether there was a message for it, or an error.
bool Participant::take_message(sim::TaskId task, bool readable) {
  const auto found = subscriptions_.find(task);
  if (found == subscriptions_.end() || !takes_message(task)) return false;
  const std::uint8_t node = found->second.node;
  std::optional<sim::SharedReply> message;
  try {
    if (auto received = found->second.socket.receive(readable))
      message = heard(std::move(*received));
    if (!message) return false;
  } catch (const ConnectionBroken& error) {
    note_error(node, error);
    subscriptions_.erase(task);
  }
  feed([&](Host& host) { host.hear(task, node, std::move(message)); });
  return true;
}

/// Of what was read together with a message before.
bool Participant::take_messages() {
  std::vector<sim::TaskId> listeners;
  for (const auto& [task, subscription] : subscriptions_) listeners.push_back(task);
  return std::ranges::any_of(listeners,
                             [&](sim::TaskId task) { return take_message(task, false); });
}

/// Whether there was a reply, or an error, for the task.
bool Participant::receive(const Place& place, bool readable) {
  const auto found = connections_.find(place);  // a reply before may have ended its task
  if (found == connections_.end() || !found->second.waiting()) return false;
  std::optional<sim::SharedReply> reply;
  try {
    reply = found->second.receive(readable);
    if (!reply) return false;
  } catch (const ConnectionBroken& error) {
    note_error(place.second, error);
    connections_.erase(place);
  }
  feed([&](Host& host) { host.hear(place.first, place.second, std::move(reply)); });
  return true;
}

void Participant::note_error(std::uint8_t node, const ConnectionBroken& error) {
  referee_.heard(part_.process, node, fmt::format("gets a connection error: {}", error.what()));
}

/// Replies that come when nobody waits for them any more.
void Participant::receive_late(WatchedConnection& connection) {
  try {
    for (bool readable = true; connection.receive(readable);) readable = false;
  } catch (const ConnectionBroken&) {
    late_.remove_if([&](const WatchedConnection& other) { return &other == &connection; });
  }
}

/// The task hears nothing more of this.
void Participant::put_aside(WatchedConnection& connection) {
  if (!connection.waiting()) return;
  connection.give_up();
  late_.push_back(std::move(connection));
}

/// It does not begin again: its tasks are gone, so that the run is over for it.
void Participant::exited() {
  host_.crash();
  subscriptions_.clear();
}

/// The program has ended; what it has sent is executed all the same.
void Participant::hear_out() {
  if (!ownership_ || !ownership_->watching()) return;
  const auto until = Clock::now() + kLastWords;
  for (auto& [place, connection] : connections_) put_aside(connection);
  connections_.clear();
  while (!late_.empty() && Clock::now() < until) listen(until - Clock::now());
}

// ---- what the host stands in --------------------------------------------------------------------

Clocks Participant::clocks() const {
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  return {duration_cast<milliseconds>(unix_time).count() + part_.clock_offset_ms,
          duration_cast<microseconds>(Clock::now().time_since_epoch())};
}

std::string Participant::answer(const sim::Query& query) {
  if (query.kind == sim::Query::Kind::token) {
    std::string token = random_token();
    if (ownership_) ownership_->drew(part_.process, token);
    return token;
  }
  std::random_device device;
  return std::to_string(1 + device() % static_cast<unsigned>(std::max(1, query.choices)));
}

void Participant::did(const sim::Effect& effect) {
  referee_.did(part_.process, effect);
  if (ownership_) ownership_->did(part_.process, effect);
  if (effect.kind != sim::Effect::Kind::acquired) return;
  const auto known = acquiring_since_.find(effect.task);
  const auto since = known == acquiring_since_.end() ? fed_at_ : known->second;
  referee_.waited(duration_cast<microseconds>(Clock::now() - since));
}

void Participant::subscribe(const sim::Effect& effect) {
  try {
    subscriptions_.erase(effect.task);
    Subscription opened{effect.node, Connection(part_.addresses.at(effect.node))};
    begin_to_listen(opened.socket, effect.request);
    subscriptions_.emplace(effect.task, std::move(opened));
  } catch (const ConnectionBroken& error) {
    note_error(effect.node, error);
    ready_.push_back({{effect.task, effect.node}, std::nullopt});
  }
}

void Participant::send(const sim::Effect& effect) {
  if (effect.subscribes) return subscribe(effect);
  const auto& [task, node, request] = std::tie(effect.task, effect.node, effect.request);
  const Place place{task, node};
  try {
    auto connection = connections_.find(place);
    if (connection == connections_.end()) {
      WatchedConnection opened(part_.addresses.at(node), part_.process, task, node, referee_,
                               ownership_);
      connection = connections_.emplace(place, std::move(opened)).first;
    }
    connection->second.send(request);
  } catch (const ConnectionBroken& error) {
    note_error(node, error);
    connections_.erase(place);
    ready_.push_back({place, std::nullopt});
  }
}

void Participant::send_to_resource(sim::TaskId task, const sim::Request& request,
                                   Resource::Basis basis) {
  auto& based_on = request[0] == "WRITE" ? basis : host_.basis(task);
  ready_.push_back(
      {{task, sim::kResource}, referee_.at_resource(part_.process, request, based_on)});
}

void Participant::abandon(sim::TaskId task, Sent what) {
  if (what != Sent::requests) subscriptions_.erase(task);
  if (what == Sent::subscription) return;
  for (auto& [place, connection] : connections_)
    if (place.first == task) put_aside(connection);
  std::erase_if(connections_, [task](const auto& other) { return other.first.first == task; });
  std::erase_if(ready_, [task](const Ready& ready) { return ready.place.first == task; });
}

}  // namespace lockstep::live
