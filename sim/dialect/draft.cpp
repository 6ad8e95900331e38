// The draft of a translation: reading tokens and noting what becomes of them.
#include "sim/dialect/draft.hpp"

#include <algorithm>
#include <array>

#include "sim/error.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr std::array<std::string_view, 8> kRefusedMetamethods{"__eq",  "__lt", "__le",   "__concat",
                                                              "__len", "__gc", "__mode", "__close"};

}  // namespace

Draft::Draft(std::string_view source, const std::string& chunk)
    : lexer_(source, chunk), chunk_(chunk) {
  fetch();
}

// ---- reading ----

void Draft::fetch() {
  pieces_.push_back({lexer_.next(), {}, {}, {}, false, -1});
  const Token& token = pieces_.back().token;
  if (token.kind == Kind::name) check_name(token.text);
  if (token.kind == Kind::string) check_metamethod(token.bytes);
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

void Draft::check_metamethod(std::string_view text) {
  if (std::ranges::find(kRefusedMetamethods, text) != kRefusedMetamethods.end()) {
    refuse("the metamethod " + std::string(text));
  }
}

void Draft::check_name(std::string_view text) {
  check_metamethod(text);
  if (text == "goto" || text == "_ENV") refuse("the name " + std::string(text));
  if (text.starts_with("lockstep_")) refuse("a name that begins with lockstep_");
  if (text == "pairs" || text == "next" || text == "foreach") result_.may_see_order = true;
}

// ---- notes ----

void Draft::around(std::size_t first, std::size_t last, std::string before, const char* after,
                   int site) {
  auto& prefixes = pieces_[first].before;
  prefixes.insert(prefixes.begin(), Prefix{std::move(before), site});
  pieces_[last].after += after;
}

void Draft::call_around(std::size_t first, std::size_t last, const char* helper, int site) {
  around(first, last, std::string(helper) + "(", ")", site);
}

void Draft::instead(std::size_t index, std::string text) {
  pieces_[index].instead = std::move(text);
  pieces_[index].replaced = true;
}

int Draft::add_site(std::vector<OperandName> operands) {
  result_.sites.push_back({pieces_[at_ - 1].token.line, std::move(operands)});
  return static_cast<int>(result_.sites.size()) - 1;
}

}  // namespace lockstep::sim::dialect
