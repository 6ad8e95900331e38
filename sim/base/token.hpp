// Lock tokens: what unique() returns. A token is random in the world and a name here: ⟨A.1⟩ is the
// first token of process A. The brackets (U+27E8, U+27E9) make a token recognisable inside any
// string, so that tokens can be renamed and recycled; printouts leave the brackets out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim {

struct Token {
  std::uint8_t process = 0;  ///< index of the process that called unique()
  std::uint16_t number = 0;  ///< 1..65535
  friend auto operator<=>(const Token&, const Token&) = default;
};

/// Process names: A, B, ... Z, then P26, P27, ...
std::string process_name(unsigned process);

/// The token's bytes as the program and Redis see them: "⟨A.1⟩".
std::string token_text(Token token);

/// What a scan of some bytes found.
struct TokenScan {
  std::vector<Token> tokens;  ///< in order of first appearance, each once
  bool cut =
      false;  ///< a piece of a token without the rest: tokens must not be renamed or recycled then
};
TokenScan scan_tokens(std::string_view bytes);

/// Replaces every whole token by `rename(token)`.
std::string rename_tokens(std::string_view bytes, const std::function<Token(Token)>& rename);

/// The same text for a person: brackets left out.
std::string without_brackets(std::string_view bytes);

}  // namespace lockstep::sim
