// Lock tokens and absolute times in the interned world: which ones a part mentions, and how it is
// made into one with other names or dates.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/base/token.hpp"
#include "sim/redis/request.hpp"
#include "sim/world/dates.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

struct Entry;
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

/// What makes a part of the world into one that differs from it in names or dates alone.
class Rewording {
 public:
  /// The tokens of one process get new numbers: that of token i is the i-th hexadecimal digit.
  static Rewording of_tokens(std::uint8_t whose, std::uint64_t digits) { return {whose, digits}; }
  /// All absolute times are so many ms sooner.
  static Rewording of_dates(std::int64_t ms) { return {kDates, static_cast<std::uint64_t>(ms)}; }

  bool is_of_dates() const { return whose_ == kDates; }
  /// Whether it changes what mentions these.
  bool concerns(const TokenUse& use) const {
    return whose_ == kDates ? use.dates.any : use.mentions(whose_);
  }
  std::string operator()(std::string_view text) const;
  Request operator()(const Request& request) const;
  Reply operator()(const Reply& reply) const;
  Entry operator()(const Entry& entry) const;
  /// What a change of this id is kept under.
  std::pair<std::uint64_t, std::uint64_t> key(Id id) const { return {both(id, whose_), how_}; }

 private:
  static constexpr std::uint8_t kDates = 0xFF;
  static_assert(kDates >= kMaxProcesses);
  Rewording(std::uint8_t whose, std::uint64_t how) : whose_(whose), how_(how) {}

  std::uint8_t whose_;
  std::uint64_t how_;
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
  /// Calls rename(Rewording) for every process whose tokens have other names.
  template <class Rename>
  void for_each_renaming(Rename rename) const {
    for (std::uint8_t whose = 0; whose < kMaxProcesses; ++whose)
      if (has(differ_, whose)) rename(Rewording::of_tokens(whose, digits_[whose]));
  }

 private:
  std::array<std::uint64_t, kMaxProcesses> digits_{};
  std::array<std::uint8_t, kMaxProcesses> count_{};
  ProcessSet differ_ = 0;  ///< processes whose tokens must be renamed
};

}  // namespace lockstep::sim
