// Absolute times in the interned world: which texts hold some, and the texts as they would be if
// all had happened sooner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::sim {

struct Entry;

/// The absolute times that some texts hold.
struct DateUse {
  bool any = false;
  bool seconds = false;  ///< one counts seconds
  /// A number as large as a time that is none of these months, a time in packed bytes, or one with
  /// a fraction, of which each is rounded otherwise: not to be moved.
  bool odd = false;

  void add(std::string_view text);
  /// A text that a client sends, or hears, without its tokens: it may be packed bytes.
  void add_sent(std::string_view text);
  void add(std::int64_t number);
  void add(double score);
  void add(const DateUse& other);
};

/// With every absolute time so many ms sooner: whole seconds, if one counts seconds.
std::string sooner(std::string_view text, std::int64_t ms);
/// A key's value.
Entry sooner(const Entry& entry, std::int64_t ms);

}  // namespace lockstep::sim
