// Drives one run on: one client alone until something has happened, whatever is urgent, or time.
// What the sentences of a schedule mean by that is schedule_walk.cpp's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/trace/trace.hpp"

namespace lockstep::scenarios {

class ScheduleDriver {
 public:
  using Option = checker::Option;
  using TraceStep = checker::TraceStep;
  using Wanted = std::function<bool(const Option&)>;
  using Event = std::function<bool(const TraceStep&)>;

  explicit ScheduleDriver(const sim::Model& model);

  /// Where the sentence that is being carried out stands: for errors.
  void at(std::string place) { place_ = std::move(place); }

  /// The first action that is possible here and `wanted`.
  std::optional<Option> find(const Wanted& wanted) const;
  const TraceStep& take(const Option& option) { return walk_.take(option.action, place_); }
  void take_found(const Wanted& wanted);

  /// Lets the client go on alone until `done`; time passes where it waits for nothing else. It may
  /// begin a round for it, but no second one. `look` sees every step on the way.
  void run_until(std::uint8_t client, const Event& done, const std::function<void()>& look);
  /// The same until something `wanted` is possible, which it takes.
  void run_until_possible(std::uint8_t client, const Wanted& wanted,
                          const std::function<void()>& look);
  /// Until the round that is under way is over. Throws BadInput if none is, or if the client stands
  /// still until it is resumed or its message let go.
  void run_out(std::uint8_t client);

  /// Time passes only when nothing urgent is left: whatever runs moves on first, client by client,
  /// also on the way.
  void pass(std::int64_t amount_ms);
  /// From one deadline to the next, until a step of time is `done`; `otherwise` says what is wrong
  /// if none ever is.
  void pass_until(const Event& done, const std::string& otherwise);

  const TraceStep& last() const { return walk_.trace().steps.back(); }
  bool violated() const { return walk_.trace().violated.has_value(); }

  /// Throws BadInput: the place, how far the run has come, `what`, and what is possible here.
  [[noreturn]] void fail(const std::string& what) const;

  /// The run as far as it has come; the driver is done.
  checker::Walk finish() { return std::move(walk_); }

 private:
  bool settle();
  std::optional<Option> next_of(std::uint8_t client, bool may_begin);
  std::optional<Option> own_next_of(std::uint8_t client, bool may_begin) const;
  const TraceStep& take_time(std::int64_t amount_ms);
  std::optional<Option> soonest_pass() const;

  checker::Walk walk_;
  std::uint8_t clients_;
  std::string place_;
};

}  // namespace lockstep::scenarios
