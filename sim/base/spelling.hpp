// Lock tokens as other bytes. A token is random in the world and a name here; what hangs on more of
// it than which token it is shows when the same thing is done with other bytes, as many or more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/token.hpp"

namespace lockstep::sim {

class Spelling {
 public:
  /// There are so many. Two tokens stand in another order in one that is even than in the one after
  /// it, and each byte of a token is even in one of them and odd in the other. So it is for the
  /// first few, of the same length; then come some that look like a UUID's hexadecimal digits (but
  /// are never a number), as long or longer, and begin with each of these; two that have no hyphen,
  /// or are decimal numbers; and one of each length from 7 to 64, which begin and end with each
  /// character of base64.
  static constexpr unsigned kPair = 2, kUsual = 6, kOfEachLength = 24, kCount = kOfEachLength + 64;
  explicit Spelling(unsigned which) : which_(which) {}
  /// One in which these come in this order, before or behind whatever else.
  explicit Spelling(const std::vector<Token>& in_order);

  /// The bytes with every whole token spelt so.
  std::string of(std::string_view bytes);
  /// Whether tokens are as long as a UUID, or no longer than they are here.
  bool is_common() const { return which_ < kOfEachLength; }
  /// The bytes with every token that of() has met as it was.
  std::string undone(std::string_view bytes) const;
  bool any() const { return !known_.empty(); }  ///< whether of() has met a token

 private:
  std::string spelt(Token token, std::size_t length) const;
  static constexpr unsigned kHexadecimal = kOfEachLength - 2, kDecimal = kOfEachLength - 1;
  std::string in_letters(Token token, std::size_t length) const;
  static std::string in_decimals(Token token);
  std::string in_base64(Token token) const;
  std::string in_digits(Token token, std::size_t length) const;

  unsigned which_ = 0;
  std::map<Token, char> first_;  ///< letters, where tokens have to come in an order
  std::map<std::string, std::string, std::less<>> known_;  ///< what each is spelt for
};

}  // namespace lockstep::sim
