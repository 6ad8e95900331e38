// What `lockstep eval`, `lockstep shell` and `lockstep conform` print with --json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/shared_reply.hpp"

namespace lockstep::cli {

/// A line that a script has run, what it called and what it changed.
struct TracedLine {
  int line = 0;
  std::string text;
  struct Call {
    std::string request;
    sim::SharedReply reply;
  };
  std::vector<Call> calls;
  std::vector<std::string> changes;
};

std::string eval_report(const sim::Reply& reply, const std::vector<std::string>& keys,
                        const std::vector<TracedLine>& trace);

/// What `lockstep conform` did, and the commands that show a difference.
struct ConformSummary {
  std::uint64_t seed = 0, commands = 0, sequences = 0, refused = 0, unrepeated = 0;
  double seconds = 0;
  struct Line {
    std::int64_t connection = 1;
    std::string request;
  };
  std::vector<Line> session;  ///< empty: nothing differs
  std::optional<sim::SharedReply> redis, lockstep;
};
std::string conform_report(const ConformSummary& summary);

/// One line of JSON: a reply to the session.
std::string reply_line(std::int64_t session, const sim::Reply& reply);

}  // namespace lockstep::cli
