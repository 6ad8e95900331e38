// The draft of a translation: reading tokens and noting what becomes of them.
#include "sim/lua51/draft.hpp"

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"

namespace lockstep::sim::dialect {

Draft::Draft(std::string_view source, const std::string& chunk)
    : lexer_(source, chunk), chunk_(chunk) {
  fetch();
}

// ---- reading ----

void Draft::fetch() {
  pieces_.push_back({lexer_.next(), {}, {}, {}, false, -1});
  const Token& token = pieces_.back().token;
  if (token.kind == Kind::name) check_name(token.text);
}

const Token& Draft::ahead() {
  if (at_ + 1 == pieces_.size()) fetch();
  return pieces_[at_ + 1].token;
}

void Draft::next() {
  ahead();
  ++at_;
}

bool Draft::accept(std::string_view word) {
  if (!is(word)) return false;
  next();
  return true;
}

void Draft::error(const std::string& message) const {
  lexer_.error(message, current().text, current().line);
}

void Draft::expected(std::string_view what) const { error("'" + std::string(what) + "' expected"); }

void Draft::expect(std::string_view word) {
  if (!accept(word)) expected(word);
}

void Draft::close(std::string_view what, std::string_view who, int line) {
  if (accept(what)) return;
  if (line == current().line) expected(what);
  error("'" + std::string(what) + "' expected (to close '" + std::string(who) + "' at line " +
        std::to_string(line) + ")");
}

std::string Draft::name() {
  if (current().kind != Kind::name) expected("<name>");
  std::string text = current().text;
  next();
  return text;
}

std::string Draft::variable() {
  const std::size_t index = at_;
  std::string text = name();
  if (text == "goto" || text == "_ENV") instead(index, std::string(kRenamed) + text);
  return text;
}

void Draft::too_deep() const {
  throw SyntaxError{chunk_ + ":" + std::to_string(current().line) +
                    ": chunk has too many syntax levels"};
}

// ---- what is refused ----

void Draft::refuse(const std::string& what) {
  if (!refusal_.empty()) return;
  refusal_ = chunk_ + ":" + std::to_string(pieces_.back().token.line) + ": " + what +
             " cannot be run faithfully yet";
}

void Draft::check_name(std::string_view text) {
  constexpr std::array<std::string_view, 4> kShowing{"pairs", "next", "foreach", "tostring"};
  if (text.starts_with(kRenamed)) refuse("a name that begins with lockstep_");
  if (std::ranges::find(kShowing, text) != kShowing.end()) result_.may_vary = true;
}

// ---- notes ----

void Draft::around(std::size_t first, std::size_t last, std::string before,
                   const std::string& after, int site) {
  auto& prefixes = pieces_[first].before;
  prefixes.insert(prefixes.begin(), Prefix{std::move(before), site, -1});
  pieces_[last].after += after;
}

void Draft::call_around(std::size_t first, std::size_t last, Helper helper, int site) {
  around(first, last, std::string(kHelpers[helper]) + "(", ")", site);
}

int Draft::around_zero(std::size_t first, std::size_t last) {
  around(first, last, "(", "+0.0)");
  const int zero = static_cast<int>(negative_zeros_.size());
  pieces_[first].before.front().zero = zero;
  negative_zeros_.push_back(false);
  return zero;
}

void Draft::leave_out(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    Piece nothing;
    nothing.token = std::move(pieces_[i].token);
    nothing.replaced = true;
    pieces_[i] = std::move(nothing);
  }
}

void Draft::instead(std::size_t index, std::string text) {
  pieces_[index].instead = std::move(text);
  pieces_[index].replaced = true;
}

std::string Draft::written(std::size_t index) const {
  return pieces_[index].replaced ? pieces_[index].instead : pieces_[index].token.text;
}

int Draft::add_site(std::vector<OperandName> operands) {
  return add_site_at(pieces_[at_ - 1].token.line, std::move(operands));
}

int Draft::add_site_at(int line, std::vector<OperandName> operands) {
  result_.sites.push_back({line, std::move(operands)});
  return static_cast<int>(result_.sites.size()) - 1;
}

}  // namespace lockstep::sim::dialect
