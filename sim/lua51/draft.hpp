// The draft of a translation: the tokens of a script, and beside each what is to be written before,
// after or instead of it. The parser makes the notes, write() turns them into the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/lua51/translate.hpp"

namespace lockstep::sim::dialect {

/// Text written before a token.
struct Prefix {
  std::string text;
  int site = -1;  ///< of the helper that it calls
  int zero = -1;  ///< number of the zero that it begins
};

/// A token and what is written around or instead of it.
struct Piece {
  Token token;
  std::vector<Prefix> before;
  std::string after;
  std::string instead;
  bool replaced = false;
  int site = -1;  ///< of an arithmetic operator that 5.4 computes itself
};

class Draft {
 public:
  Draft(std::string_view source, const std::string& chunk);

  // ---- reading ----
  /// The position of the current token.
  std::size_t at() const { return at_; }
  const Token& current() const { return pieces_[at_].token; }
  const Token& token(std::size_t index) const { return pieces_[index].token; }
  bool is(std::string_view word) const { return current().is(word); }
  const Token& ahead();
  void next();
  bool accept(std::string_view word);
  void expect(std::string_view word);
  /// Expects `what`, which closes `who` of line `line`.
  void close(std::string_view what, std::string_view who, int line);
  std::string name();
  /// The name of a variable; 5.4 gets another one where it reserves it.
  std::string variable();
  [[noreturn]] void error(const std::string& message) const;
  [[noreturn]] void expected(std::string_view what) const;
  /// A text nested deeper than 5.1 compiles.
  [[noreturn]] void too_deep() const;

  // ---- notes ----
  /// Wraps the tokens first..last; `site` belongs to what stands before.
  void around(std::size_t first, std::size_t last, std::string before, const std::string& after,
              int site = -1);
  void call_around(std::size_t first, std::size_t last, Helper helper, int site = -1);
  /// Writes `text` behind the token.
  void behind(std::size_t index, const std::string& text) { pieces_[index].after += text; }
  /// Makes the tokens, whose value is zero, a zero without a sign; negate_zero() gives it one.
  int around_zero(std::size_t first, std::size_t last);
  void negate_zero(int zero) { negative_zeros_[static_cast<std::size_t>(zero)] = true; }
  void instead(std::size_t index, std::string text);
  /// Writes nothing for the tokens first..last.
  void leave_out(std::size_t first, std::size_t last);
  /// Notes an operation that ends with the token before the current one.
  int add_site(std::vector<OperandName> operands);
  int add_site_at(int line, std::vector<OperandName> operands);
  /// The operator at `index` is the operation `site`.
  void place_operator(std::size_t index, int site) { pieces_[index].site = site; }
  /// Noted and thrown at the end: a text that 5.1 does not compile either is a syntax error.
  void refuse(const std::string& what);
  /// How the token is written, without what stands around it.
  std::string written(std::size_t index) const;
  void note_long_run() { result_.may_run_long = true; }

  /// The translation, once all has been read. Throws BadInput for what was refused.
  Translation write();

 private:
  void fetch();
  void check_name(std::string_view text);
  void start_line(int source, int site);
  void write_token(const Piece& piece);
  void write_string(const std::string& bytes);

  Lexer lexer_;
  std::string chunk_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  Translation result_;
  std::string refusal_;
  std::vector<bool> negative_zeros_;
};

}  // namespace lockstep::sim::dialect
