// The lexer of Lua 5.1.
#include "sim/lua51/lexer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "sim/base/ascii.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr std::array<std::string_view, 21> kKeywords{
    "and",   "break", "do",  "else", "elseif", "end",    "false", "for",  "function", "if",   "in",
    "local", "nil",   "not", "or",   "repeat", "return", "then",  "true", "until",    "while"};

constexpr std::array<std::string_view, 7> kLongSymbols{"...", "..", "==", "~=", "<=", ">=", "="};

const std::string kZeroByte = "char(0)";  // as a token is shown

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_newline(char c) { return c == '\n' || c == '\r'; }

}  // namespace

bool read_number(const char* text, double& value) {
  char* end = nullptr;
  value = std::strtod(text, &end);
  if (end == text) return false;
  if (*end == 'x' || *end == 'X') value = static_cast<double>(std::strtoul(text, &end, 16));
  while (std::isspace(static_cast<unsigned char>(*end))) ++end;
  return *end == '\0';
}

void Lexer::error(const std::string& message, const std::string& near, int line) const {
  std::string place;  // to 5.1 a zero byte is no token, and the end of one
  if (near != kZeroByte) place = " near '" + std::string(c_text(near)) + "'";
  throw SyntaxError{chunk_ + ":" + std::to_string(line) + ": " + message + place};
}

/// Skips one line break: \n, \r, \r\n or \n\r.
void Lexer::skip_newline() {
  const char first = peek();
  ++at_;
  if (is_newline(peek()) && peek() != first) ++at_;
  ++line_;
}

/// The number of '=' in a long bracket that opens here, or -1 if none does.
int Lexer::long_bracket_level() const {
  std::size_t ahead = 1;
  while (peek(ahead) == '=') ++ahead;
  return peek(ahead) == '[' ? static_cast<int>(ahead) - 1 : -1;
}

std::string Lexer::long_bracket(int level, bool comment) {
  at_ += static_cast<std::size_t>(level) + 2;
  std::string close(static_cast<std::size_t>(level) + 2, '=');
  close.front() = close.back() = ']';
  if (!at_end() && is_newline(peek())) skip_newline();
  std::string bytes;
  while (!at_end()) {
    if (source_.substr(at_, close.size()) == close) {
      at_ += close.size();
      return bytes;
    }
    if (is_newline(peek())) {
      skip_newline();
      bytes += '\n';
    } else {
      if (level == 0 && peek() == '[' && peek(1) == '[') {
        error("nesting of [[...]] is deprecated", "[", line_);
      }
      bytes += source_[at_++];
    }
  }
  error(comment ? "unfinished long comment" : "unfinished long string", "<eof>", line_);
}

bool Lexer::skip_blank_or_comment() {
  if (at_end()) return false;
  if (is_newline(peek())) {
    skip_newline();
    return true;
  }
  if (std::isspace(static_cast<unsigned char>(peek()))) {
    ++at_;
    return true;
  }
  if (peek() != '-' || peek(1) != '-') return false;
  at_ += 2;
  const int level = peek() == '[' ? long_bracket_level() : -1;
  if (level >= 0) {
    long_bracket(level, true);
  } else {
    while (!at_end() && !is_newline(peek())) ++at_;
  }
  return true;
}

void Lexer::escape(Token& token, char quote) {
  ++at_;
  if (at_end()) return;  // the loop reports the unfinished string
  const char c = peek();
  if (is_newline(c)) {
    token.bytes += '\n';
    skip_newline();
    return;
  }
  if (is_digit(c)) {
    int value = 0;
    for (int digits = 0; digits < 3 && is_digit(peek()); ++digits) {
      value = value * 10 + (source_[at_++] - '0');
    }
    if (value > 255) {
      error("escape sequence too large", quote + token.bytes, line_);
    }
    token.bytes += static_cast<char>(value);
    return;
  }
  ++at_;
  constexpr std::string_view kNames = "abfnrtv";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v";
  const auto named = kNames.find(c);
  token.bytes += named == kNames.npos ? c : kBytes[named];
}

Token Lexer::quoted() {
  const char quote = source_[at_++];
  Token token{Kind::string, {}, {}, 0, 0};
  while (at_end() || peek() != quote) {
    if (at_end()) error("unfinished string", "<eof>", line_);
    if (is_newline(peek())) error("unfinished string", quote + token.bytes, line_);
    if (peek() == '\\') {
      escape(token, quote);
    } else {
      token.bytes += source_[at_++];
    }
  }
  ++at_;
  token.text = quote + token.bytes + quote;  // 5.1 shows a string in errors with its escapes read
  return token;
}

Token Lexer::number() {
  const std::size_t begin = at_;
  while (is_digit(peek()) || peek() == '.') ++at_;
  // 5.1 looks for the next byte in "Ee" and "+-", where a zero byte is always found, as their end.
  const auto skip_one_of = [&](std::string_view bytes) {
    const bool found = !at_end() && (bytes.find(peek()) != bytes.npos || peek() == '\0');
    if (found) ++at_;
    return found;
  };
  if (skip_one_of("Ee")) skip_one_of("+-");
  while (is_name_char(peek())) ++at_;
  Token token{Kind::number, std::string(source_.substr(begin, at_ - begin)), {}, 0, 0};
  if (!read_number(token.text.c_str(), token.number)) {
    error("malformed number", token.text, line_);
  }
  return token;
}

Token Lexer::word() {
  const std::size_t begin = at_;
  while (is_name_char(peek())) ++at_;
  std::string text(source_.substr(begin, at_ - begin));
  const bool keyword = std::ranges::find(kKeywords, text) != kKeywords.end();
  return {keyword ? Kind::keyword : Kind::name, std::move(text), {}, 0, 0};
}

Token Lexer::symbol() {
  for (const std::string_view candidate : kLongSymbols) {
    if (source_.substr(at_, candidate.size()) != candidate) continue;
    at_ += candidate.size();
    return {Kind::symbol, std::string(candidate), {}, 0, 0};
  }
  const char c = source_[at_++];
  const auto byte = static_cast<unsigned char>(c);
  std::string text = std::iscntrl(byte) ? "char(" + std::to_string(byte) + ")" : std::string(1, c);
  return {Kind::symbol, std::move(text), {}, 0, 0};
}

Token Lexer::next() {
  while (skip_blank_or_comment()) {
  }
  Token token;
  const std::size_t first = at_;
  const char c = peek();
  if (at_end()) {
    token.text = "<eof>";
  } else if (c == '"' || c == '\'') {
    token = quoted();
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    token = number();
  } else if (c == '[' && long_bracket_level() >= 0) {
    const std::size_t begin = at_;
    const int level = long_bracket_level();
    token.kind = Kind::string;
    token.bytes = long_bracket(level, false);
    token.text = source_.substr(begin, at_ - begin);
  } else if (c == '[' && peek(1) == '=') {
    const std::size_t begin = at_++;
    while (peek() == '=') ++at_;
    error("invalid long string delimiter", std::string(source_.substr(begin, at_ - begin)), line_);
  } else {
    token = is_name_char(c) ? word() : symbol();
  }
  token.line = line_;
  token.first = first;
  token.last = at_;
  return token;
}

}  // namespace lockstep::sim::dialect
