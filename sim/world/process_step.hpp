// One step of a process: an observation is fed to its program, and what the program does in answer
// is done to the process (docs/semantics.md, section 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/world/automaton.hpp"
#include "sim/world/process.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class ProcessStep {
 public:
  /// Works on `process`. `choices`: answers to choose(), in order. `cut`: of pause_within and
  /// crash_within, where.
  ProcessStep(Setting& setting, Tables& tables, Automaton& automaton, Process& process,
              const Surroundings& around, std::vector<std::uint8_t> choices, std::uint16_t cut);

  /// Carries out an action of the process alone (not execute).
  void act(const LocalAction& action);

  /// choose(n) came without an answer: n, and nothing else is valid; the step must be tried with
  /// each. 0 otherwise.
  int open_choice() const { return open_choice_; }
  /// At which sort of place the step was cut.
  Cut cut() const { return cut_; }
  const Reads& reads() const { return reads_; }
  Report& report() { return report_; }

 private:
  void act(Action::Kind kind, std::uint8_t index);
  void stand_still();
  void begin(TaskId task);
  void fire_timer(TaskId task);
  void note_part_of_ms(std::int64_t waited_ms);
  void deliver(Connection& connection);
  bool led_on(Connection& connection);
  void reconnect(Connection& connection);
  void refuse_beside_migration(const Request& request) const;
  static void hold(Message& message);
  void lose(Connection& connection);
  void lose_late(Connection& connection);
  void heal(std::uint8_t node);
  void end_by_itself();
  void crash();
  void jump(std::int64_t ms);
  void feed(Observation observation);
  std::string answer(const Query& query);
  std::int64_t age_of_now();
  std::int64_t age_at_first() const;
  void started();
  std::string fresh_token();
  void apply(const Effect& effect);
  void refused(TaskId task, std::uint8_t lock);
  void failed_by_itself(const Effect& effect, std::uint8_t lock);
  void keeps_alive_in_vain(const Operation& operation, LockSet locks);
  void acquired(const Effect& effect, std::uint8_t lock);
  void released(const Effect& effect, std::uint8_t lock);
  void stop_holding(TaskId task, std::uint8_t lock);
  void end_operation(TaskId task, Outlived of_given_up = Outlived::yes);
  bool key_in_use(TaskId task, std::uint8_t lock) const;
  bool owns(TaskId task, std::uint8_t lock) const;
  void still_inside(TaskId task, std::uint8_t lock);
  void still_inside_other_mode(TaskId task, std::uint8_t lock);
  const Holding* in_other_mode(TaskId task, std::uint8_t lock) const;
  std::uint8_t server_for(std::uint8_t node) const;
  void learn(std::uint8_t group);
  void send(const Effect& effect);
  bool of_workload(const Wait& wait) const;
  bool is_of_program(const Wait& wait) const;
  void start_waits(const std::vector<Wait>& tasks);
  void judge_sleeps(const std::vector<Wait>& tasks);
  void start_timers(const std::vector<Wait>& tasks);

  Setting& setting_;
  Tables& tables_;
  Automaton& automaton_;
  Process& process_;
  const Rate& rate_;  ///< of its clocks
  Surroundings around_;
  std::size_t chosen_ = 0;
  int open_choice_ = 0;
  Cut cut_ = Cut::none;
  bool by_access_ = false;  ///< it may be cut at accesses
  Reads reads_;
  Report report_;
};

}  // namespace lockstep::sim
