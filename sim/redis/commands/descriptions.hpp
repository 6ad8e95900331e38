// What COMMAND INFO says of a command beyond the tables of commands and subcommands: pure data.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::sim {

/// KeySpec::last of "the argument at `first` says how many keys follow it" (Redis: keynum).
constexpr int kCounted = std::numeric_limits<int>::max();

/// Where some of the keys of a command are, and what it does with them (Redis's key
/// specifications).
struct KeySpec {
  std::string_view flags;         ///< words, in Redis's order; empty: no specification
  int first = 0;                  ///< position of the first key; 0: nobody knows. With a keyword
                                  ///< the position from which it is sought, negative: from the end
  int last = 0;                   ///< of the last one, from the first; negative: from the end
  int step = 1;                   ///< from one to the next
  std::string_view keyword = {};  ///< the keys follow this word
};

/// The first key, the last one (negative: from the end), and the step between them; 0: no keys.
struct KeyRange {
  int first, last, step;
};

struct Description {
  std::string_view name;             ///< "get", "config|get"
  std::string_view flags = {};       ///< words: those that CommandFlag does not have
  std::string_view categories = {};  ///< of ACLs, words: those that do not follow from the flags
  KeySpec key_specs[3] = {};         ///< those without flags are none
  std::string_view tips = {};        ///< words

  std::span<const KeySpec> keys() const;
  /// Of a subcommand: it has one specification, a range, or none.
  KeyRange range() const;
};

/// Of a row of the table of commands, by its name, or of a subcommand ("config|get").
const Description& describe(std::string_view name);

/// The words of such a text, and whether it has one.
std::vector<std::string_view> words(std::string_view text);
bool has_word(std::string_view text, std::string_view word);

}  // namespace lockstep::sim
