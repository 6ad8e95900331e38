// Keeps the history and judges it; see the header.
#include "live/referee.hpp"

#include <fmt/format.h>

#include "live/wording.hpp"
#include "sim/base/token.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::live {

namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr std::size_t kHistoryKept = 64;  // of a process: a violation may come to light later
constexpr std::size_t kHistoryShown = 16;

}  // namespace

void Referee::note(std::uint8_t process, std::string sentence) {
  const auto since = std::chrono::steady_clock::now() - start_;
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  auto& lines = history_[process];
  lines.push_back({++noted_, {us, sim::process_name(process), std::move(sentence)}});
  if (lines.size() > kHistoryKept) lines.pop_front();
}

/// Each of the concerned has an equal share of the lines shown.
void Referee::violated(sim::Property property, const std::string& text, const Concerned& concerned,
                       std::uint64_t moment) {
  for (const auto& before : violations_)
    if (before.property == property) return;
  std::map<std::uint64_t, Observed> shown;
  for (const auto process : concerned) {
    auto left = kHistoryShown / concerned.size();
    const auto& lines = history_[process];
    for (auto line = lines.rbegin(); line != lines.rend() && left > 0; ++line) {
      if (line->first > moment) continue;
      shown.insert(*line);
      --left;
    }
  }
  LiveViolation violation{property, text, {}};
  for (auto& [number, line] : shown) violation.history.push_back(std::move(line));
  violations_.push_back(std::move(violation));
}

Referee::Concerned Referee::everybody() const {
  Concerned all;
  for (const auto& [process, lines] : history_) all.insert(process);
  return all;
}

std::uint64_t Referee::moment() const {
  const Lock lock(mutex_);
  return noted_;
}

void Referee::found(sim::Property property, const std::string& text, const Concerned& concerned,
                    std::uint64_t moment) {
  const Lock lock(mutex_);
  violated(property, text, concerned, moment);
}

void Referee::enter(std::uint8_t process, const sim::Effect& effect) {
  ++figures_.acquired;
  const auto& setup = model_.processes[process];
  const int permits = model_.program->permits();
  std::vector<std::uint8_t> holders;
  for (const auto& [other, task, lock] : holders_) {
    if (other == process && task == effect.task) continue;  // it holds it in the other mode
    const auto& others = model_.processes[other];
    if (others.lock_keys[lock] != setup.lock_keys[effect.lock] ||
        (sim::is_shared(others, lock) && sim::is_shared(setup, effect.lock)))
      continue;
    holders.push_back(other);
  }
  if (std::ssize(holders) >= permits) {
    if (permits == 1) holders.resize(1);
    holders.push_back(process);
    violated(sim::Property::mutual_exclusion, sim::worded_overlap(holders, permits),
             {holders.begin(), holders.end()}, noted_);
  }
  holders_.insert({process, effect.task, effect.lock});
}

void Referee::did(std::uint8_t process, const sim::Effect& effect) {
  using Kind = sim::Effect::Kind;
  const Lock lock(mutex_);
  if (effect.kind != Kind::instant) note(process, worded_of(model_, process, effect));
  const Holder self{process, effect.task, effect.lock};
  switch (effect.kind) {
    case Kind::send:
      if (effect.node != sim::kResource) ++figures_.requests;
      break;
    case Kind::acquired:
      enter(process, effect);
      break;
    case Kind::refused:
      ++figures_.refused;
      break;
    case Kind::releasing:
      holders_.erase(self);
      break;
    case Kind::released:
      if (effect.ok) ++figures_.released;
      break;
    case Kind::failed:
      ++figures_.failed;
      std::erase_if(holders_, [&](const Holder& holder) {
        return holder.process == process && holder.task == effect.task;
      });
      break;
    case Kind::exited:
      std::erase_if(holders_, [&](const Holder& holder) { return holder.process == process; });
      break;
    case Kind::lost:
      ++figures_.lost;
      holders_.erase(self);
      break;
    default:
      break;
  }
}

void Referee::heard(std::uint8_t process, const std::string& what) {
  const Lock lock(mutex_);
  note(process, what);
}

void Referee::heard(std::uint8_t process, std::uint8_t node, const std::string& what) {
  const bool one = sim::servers_of(model_).nodes == 1;
  heard(process, one ? what : what + " from " + worded_node(model_, node));
}

void Referee::waited(std::chrono::microseconds time) {
  const Lock lock(mutex_);
  figures_.waits_us.push_back(time.count());
}

sim::SharedReply Referee::at_resource(std::uint8_t process, const sim::Request& request,
                                      Resource::Basis& basis) {
  const Lock lock(mutex_);
  bool lost = false;
  sim::SharedReply reply = resource_.execute(request, basis, lost);
  note(process, fmt::format("{} at the resource -> {}", worded_to(model_, request, sim::kResource),
                            sim::worded(*reply)));
  if (lost)
    violated(sim::Property::no_lost_update,
             fmt::format("{}'s write was accepted, although another had written after {} read",
                         sim::process_name(process), sim::process_name(process)),
             everybody(), noted_);
  return reply;
}

void Referee::caught(std::exception_ptr error) {
  const Lock lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_ = true;
}

void Referee::rethrow() const {
  const Lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

LiveFigures Referee::figures() const {
  const Lock lock(mutex_);
  return figures_;
}

std::vector<LiveViolation> Referee::violations() const {
  const Lock lock(mutex_);
  return violations_;
}

}  // namespace lockstep::live
