// See the header.
#include "sim/base/spelling.hpp"

#include <string_view>

namespace lockstep::sim {

namespace {

constexpr unsigned kSpelt = 16;                // a to p
constexpr std::size_t kNumber = 6;             // letters that tell which token it is
constexpr unsigned kLonger = 14;               // from this one on
constexpr std::size_t kUuid = 36, kLong = 32;  // with hyphens, and without
constexpr std::size_t kShortestToken = 7, kLongestToken = 64;
constexpr std::string_view kBase64 =
    "zAyBxCwDvEuFtGsHrIqJpKoLnMmNlOkPjQiRhSgTfUeVdWcXbYaZ0918273645-_";

}  // namespace

Spelling::Spelling(const std::vector<Token>& in_order) {
  for (const Token token : in_order) first_[token] = static_cast<char>('a' + first_.size());
}

std::string Spelling::spelt(Token token, std::size_t length) const {
  if (!is_common()) return in_base64(token);
  if (which_ == kDecimal) return in_decimals(token);
  if (which_ < kUsual) return in_letters(token, length);
  return in_digits(token, which_ < kLonger ? length : which_ % 2 == 0 ? kLong : kUuid);
}

/// The last digits tell which token it is, those before it begin with any.
std::string Spelling::in_digits(Token token, std::size_t length) const {
  const unsigned number = token.process * 0x10000U + token.number;
  const unsigned first = 2 * (which_ - kUsual) + (which_ < kLonger ? 0U : 1U);
  std::string digits;
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t rest = length - i;
    const unsigned value =
        rest <= kNumber ? number >> (4 * (rest - 1))
                        : 5U * token.process + 3U * token.number + 7U * static_cast<unsigned>(i);
    digits += "0123456789abcdef"[(value + first) % kSpelt];
  }
  if (which_ == kHexadecimal)
    digits[0] = 'f';  // else it might be a number
  else if (length == kUuid)
    for (const std::size_t hyphen : {8U, 13U, 18U, 23U}) digits[hyphen] = '-';
  else
    digits[length == kLong ? 8 : 2] = '-';
  return digits;
}

/// A whole number of 63 bits, of which the last digits tell which token it is.
std::string Spelling::in_decimals(Token token) {
  constexpr std::uint64_t kFirst = 50'000'000'000'000'000ULL, kApart = 1'000'003;
  const std::uint64_t number = token.process * 0x10000U + token.number;
  return std::to_string(kFirst + number * kApart);
}

/// Behind the first character stands which token it is, before the last one a letter that is in no
/// number.
std::string Spelling::in_base64(Token token) const {
  const unsigned which = which_ - kOfEachLength;
  constexpr unsigned kSize = kBase64.size();
  const std::size_t length = kShortestToken + which % (kLongestToken - kShortestToken + 1);
  unsigned number = token.process * 0x10000U + token.number;
  std::string text{kBase64[which]};
  for (int i = 0; i < 4; ++i, number /= kSize) text += kBase64[number % kSize];
  if (which % 2 == 0 && text.size() + 4 < length) text += "+k";  // of the other base64
  for (unsigned i = 0; text.size() + 2 < length; ++i)
    text += kBase64[(7 * i + 5 * token.process + 3U * token.number) % kBase64.size()];
  return text + 'k' + (which % 8 == 0 ? '=' : kBase64[kBase64.size() - 1 - which]);
}

/// The first letters are others for each of a few tokens, the last ones for all.
std::string Spelling::in_letters(Token token, std::size_t length) const {
  const unsigned number = token.process * 0x10000U + token.number;
  std::string letters;
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t rest = length - i;
    const unsigned value = rest <= kNumber ? number >> (4 * (rest - 1))
                                           : (5U + 2U * (which_ / 2)) * token.process +
                                                 3U * token.number + 7U * static_cast<unsigned>(i);
    const unsigned letter = (value + which_ / 2) % kSpelt;
    letters += static_cast<char>('a' + (which_ % 2 == 0 ? letter : kSpelt - 1 - letter));
  }
  const auto first = first_.find(token);
  if (first != first_.end()) letters.front() = first->second;
  return letters;
}

std::string Spelling::of(std::string_view bytes) {
  std::string text(bytes);
  for (const Token token : scan_tokens(bytes).tokens) {
    const std::string was = token_text(token);
    const std::string is = spelt(token, was.size());
    known_.emplace(is, was);
    for (std::size_t at = text.find(was); at != std::string::npos; at = text.find(was, at))
      text.replace(at, was.size(), is);
  }
  return text;
}

std::string Spelling::undone(std::string_view bytes) const {
  std::string text(bytes);
  for (const auto& [is, was] : known_)
    for (std::size_t at = text.find(is); at != std::string::npos; at = text.find(is, at + 1))
      text.replace(at, is.size(), was);
  return text;
}

}  // namespace lockstep::sim
