// Makes what a real server says comparable with a trace: random tokens get the names that the trace
// gives them, and Unix times are moved to the trace's epoch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/client/program.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::sim {
struct Reply;
}

namespace lockstep::live {

class Naming {
 public:
  /// `epoch_ms`: the Unix time that stands for sim::kEpoch; whole seconds.
  explicit Naming(std::int64_t epoch_ms) : epoch_ms_(epoch_ms) {}

  /// A fresh random token for a process: its next one in the trace's names, and as long as that.
  std::string fresh_token(std::uint8_t process);

  /// What a real server says, and how the trace says it.
  void call(std::string real, std::string name) { names_[std::move(real)] = std::move(name); }

  std::string named(std::string_view text) const;
  sim::Reply named(sim::Reply reply) const;
  sim::Effect named(sim::Effect effect) const;
  sim::VisibleKeys named(const sim::VisibleKeys& keys) const;

 private:
  sim::VisibleValue named_value(const sim::VisibleValue& value) const;

  std::int64_t epoch_ms_;
  std::map<std::string, std::string> names_;  ///< by real token, or address
  std::map<std::uint8_t, int> given_;         ///< tokens, by process
};

/// A Unix time that stands in a text: how long after an epoch, and what its last digit counts.
struct UnixTimeIn {
  std::int64_t since_ms = 0;
  std::int64_t unit_ms = 1;  ///< 1 or 1000
};
/// `digits` as a Unix time, if it is one of some weeks around the epoch (Unix ms).
std::optional<UnixTimeIn> unix_time_in(std::string_view digits, std::int64_t epoch_ms);

/// Random letters: as many as other clients' tokens have, if not told otherwise.
std::string random_token(std::size_t length = 32);

}  // namespace lockstep::live
