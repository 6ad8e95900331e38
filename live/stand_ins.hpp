// What a client draws itself, and what differs from run to run, when a real client's requests are
// compared with a program's: a token and the name of a lock's key have stand-ins in the program's
// requests, which are bound to what really stood there; a time may differ a little.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace lockstep::live {

/// When the program's request was computed, and when the real one came: a time of day in it was
/// read between the two.
struct WhenSent {
  std::int64_t computed_us = 0, came_us = 0;  ///< Unix time
};

class StandIns {
 public:
  /// One that is bound to nothing, for a token or for the name of a key; `number` makes it differ
  /// from all others.
  static std::string fresh_token(std::size_t number);
  static std::string fresh_key(std::size_t number);

  /// Whether what the program says can be what really was said; then its stand-ins are bound, to
  /// values that nothing else is bound to. Nothing changes if not.
  bool bind(std::string_view said, std::string_view real, WhenSent when);

  /// Real text as the program says it: bound values are their stand-ins again.
  std::string as_said(std::string text) const;
  /// What the program says, with the values of its stand-ins: those that are bound to nothing are
  /// "<token>", "<key>".
  std::string as_real(std::string text) const;
  /// Whether a bound value is part of the text.
  bool knows_part_of(std::string_view text) const;
  /// The values of the tokens.
  std::set<std::string> tokens() const;

 private:
  bool fits(std::string_view said, std::string_view real, WhenSent when);

  std::map<std::string, std::string> values_;  ///< by stand-in
};

}  // namespace lockstep::live
