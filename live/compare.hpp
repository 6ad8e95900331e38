// Compares what really happened with what a trace says; a difference in words, or nothing. What is
// found has been named as the trace names it (Naming). Unix times may differ by the tolerance
// wherever they stand: a clock was read when the run came to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/keyspace/visible_key.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

/// A request with what a node or the resource answered.
struct Answered {
  std::uint8_t node = 0;
  sim::Request request;
  sim::SharedReply reply;
  bool looked_at_clock = false;  ///< the reply may tell how much is left of a lifetime
};

/// Such lifetimes among the integers of a reply may differ by `tolerance_ms`.
std::optional<std::string> reply_difference(const sim::Model& model, const Answered& expected,
                                            const sim::Reply& found, std::int64_t tolerance_ms);

/// What `process` did.
std::optional<std::string> effects_difference(const sim::Model& model, std::uint8_t process,
                                              const std::vector<sim::Effect>& expected,
                                              const std::vector<sim::Effect>& found,
                                              std::int64_t tolerance_ms);

/// `early`: the difference is only that a key is gone which had less than `tolerance_ms` and a
/// margin left: the machine was too slow.
struct KeysDifference {
  std::string text;
  bool early = false;
};
std::optional<KeysDifference> keys_difference(const sim::VisibleKeys& expected,
                                              const sim::VisibleKeys& found,
                                              std::int64_t tolerance_ms);

}  // namespace lockstep::live
