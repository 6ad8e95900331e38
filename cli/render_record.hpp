// What `lockstep record` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "live/wire_check.hpp"
#include "sim/client/program.hpp"

namespace lockstep::cli {

/// How a log compares with a program whose lease is so long.
struct Fitted {
  live::WireLikeness likeness;
  std::int64_t lease_ms = 0;
  bool guessed = false;  ///< nobody has said the lease
};

void print_likeness(Io& io, const Fitted& fitted, const std::vector<live::WireRequest>& log,
                    const sim::Program& program);

std::string likeness_report(const Fitted& fitted, const sim::Program& program);

}  // namespace lockstep::cli
