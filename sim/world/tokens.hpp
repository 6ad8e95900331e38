// Lock tokens in the interned world: which tokens a part mentions, and canonical names for them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/base/token.hpp"
#include "sim/redis/request.hpp"
#include "sim/world/dates.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

struct Reply;

/// A renaming keeps the length of a text: recycled tokens have one digit.
inline constexpr unsigned kRecycledTokens = 9;
/// The numbers of one process's tokens, as bits; the lowest is number 1.
using TokenNumbers = std::uint16_t;
static_assert(kRecycledTokens <= 8 * sizeof(TokenNumbers));

/// The tokens, and the absolute times, that some bytes mention.
struct TokenUse {
  std::vector<Token> tokens;  ///< in order of first appearance
  bool cut = false;  ///< a piece of a token, or more than its equality: it must keep its name
  DateUse dates;

  void add(std::string_view bytes);
  void add(const Request& request);
  void add(const Reply& reply);
  void add(const TokenUse& other);
  /// A text that a client sends or hears.
  void add_sent(std::string_view text);
  bool mentions(std::uint8_t process) const;
  /// Adds the numbers of this process's tokens.
  void mark(std::uint8_t process, TokenNumbers& used) const;
};

/// New names for the tokens of one process.
struct Renaming {
  std::uint8_t whose = 0;
  std::uint64_t digits = 0;  ///< the new number of token i in the i-th hexadecimal digit

  std::function<Token(Token)> function() const;
};

/// The renamings that give a world its canonical names: the tokens of a process are numbered 1, 2,
/// ... in order of their first appearance, so that worlds that differ only in which random value a
/// token has are one state. Exact because tokens are only ever compared.
class CanonicalNames {
 public:
  /// The next part of the world, in the order of the state.
  void look_at(const TokenUse& use) {
    for (const Token token : use.tokens) {
      const unsigned digit = 4U * token.number;
      if ((digits_[token.process] >> digit & 0xF) != 0) continue;
      const std::uint8_t number = ++count_[token.process];
      digits_[token.process] |= static_cast<std::uint64_t>(number) << digit;
      if (number != token.number) differ_ |= only<ProcessSet>(token.process);
    }
  }
  /// Calls rename(Renaming) for every process whose tokens have other names.
  template <class Rename>
  void for_each_renaming(Rename rename) const {
    for (std::uint8_t whose = 0; whose < kMaxProcesses; ++whose)
      if (has(differ_, whose)) rename(Renaming{whose, digits_[whose]});
  }

 private:
  std::array<std::uint64_t, kMaxProcesses> digits_{};
  std::array<std::uint8_t, kMaxProcesses> count_{};
  ProcessSet differ_ = 0;  ///< processes whose tokens must be renamed
};

}  // namespace lockstep::sim
