// Where random steps come from: each sequence has a family that most of its commands are of, and a
// theme of connections, functions or neither.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conform/commands.hpp"
#include "conform/dice.hpp"
#include "conform/difference.hpp"

namespace lockstep::conform {

class StepSource {
 public:
  static constexpr std::size_t kMostConnections = 3;

  /// All three outlive it. `scripts` are sent beside our own.
  StepSource(const std::vector<std::string>& scripts, const Repertoire& repertoire, Dice& dice);
  Step next();

 private:
  const std::vector<std::string>& scripts_;
  const Repertoire& repertoire_;
  Dice& dice_;
  bool many_;  ///< connections, and what belongs to them
  bool functions_;
  std::size_t connections_;
  const Family& home_;
  const Family& theme_;
  std::size_t connection_ = 0;
};

}  // namespace lockstep::conform
