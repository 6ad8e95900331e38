// The lexer of Lua 5.1: tokens with their lines, escapes and numerals read as 5.1 reads them,
// and 5.1's error texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim::dialect {

enum class Kind : std::uint8_t { end, name, string, number, symbol, keyword };

struct Token {
  Kind kind = Kind::end;
  std::string text;                 ///< as errors show it; "<eof>" at the end
  std::string bytes;                ///< a string's value
  double number = 0;                ///< a number's value
  int line = 1;                     ///< where it ends
  std::size_t first = 0, last = 0;  ///< its bytes in the source: from, and up to, not with

  bool is(std::string_view word) const {
    return (kind == Kind::symbol || kind == Kind::keyword) && text == word;
  }
};

/// A text that Lua 5.1 does not compile; the message with its place, as 5.1 words it.
struct SyntaxError {
  std::string message;
};

class Lexer {
 public:
  /// `chunk` is shown in front of errors ("user_script").
  Lexer(std::string_view source, std::string chunk) : source_(source), chunk_(std::move(chunk)) {}

  /// The next token; Kind::end for ever at the end. Throws SyntaxError.
  Token next();
  [[noreturn]] void error(const std::string& message, const std::string& near, int line) const;

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool at_end() const { return at_ >= source_.size(); }
  void skip_newline();
  bool skip_blank_or_comment();
  int long_bracket_level() const;
  std::string long_bracket(int level, bool comment);
  Token quoted();
  void escape(Token& token, char quote);
  Token number();
  Token word();
  Token symbol();

  std::string_view source_;
  std::string chunk_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Reads a number as Lua 5.1 does (luaO_str2d: strtod, then hexadecimal, blanks allowed around);
/// false if it is none.
bool read_number(const char* text, double& value);

}  // namespace lockstep::sim::dialect
