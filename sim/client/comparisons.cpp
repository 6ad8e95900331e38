// Finds the operands of comparisons in a text, and shows them while it runs; see the header.
#include "sim/client/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/token.hpp"
#include "sim/client/run.hpp"
#include "sim/client/text.hpp"

namespace lockstep::sim::program {
namespace {

const char* const kLeft = "lockstep_left";
const char* const kRight = "lockstep_right";
const char* const kBound = "lockstep_bound";

/// What math.max and math.min compare has a number of its own.
const int kExtremes = place_of(0, Relation::less);
const int kSought = place_of(0, Relation::unknown);

bool is_one_of(const Word& word, std::initializer_list<std::string_view> texts) {
  return word.kind != Word::Kind::string && word.kind != Word::Kind::number &&
         std::find(texts.begin(), texts.end(), word.text) != texts.end();
}

bool opens(const Word& word) { return is_one_of(word, {"(", "[", "{"}); }
bool closes(const Word& word) { return is_one_of(word, {")", "]", "}"}); }

/// A keyword that no operand of a comparison can contain outside of brackets.
bool bounds_operand(const Word& word) {
  return is_one_of(
      word, {",",    ";",  "and",  "or",  "if",  "elseif", "while", "until", "return", "in",
             "then", "do", "else", "end", "for", "repeat", "local", "goto",  "break",  "function"});
}

/// Whether an operand may end with this word: what follows without an operator is another
/// statement, or the arguments of a call.
bool ends_value(const Word& word) {
  if (word.kind == Word::Kind::number || word.kind == Word::Kind::string) return true;
  if (word.kind == Word::Kind::name) return !is_one_of(word, {"not"});
  return closes(word) || word.text == "...";
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text), words_(words_of(text)) {}

  std::string rewritten() {
    for (std::size_t at = 0; at < words_.size(); ++at)
      if (const std::size_t length = comparison(at)) wrap(at, length);
    for (std::size_t at = 0; at < words_.size(); ++at)  // around what was wrapped
      if (is_loop(at)) wrap_bounds(at + 3);
    return with_insertions(text_, {&after_, &before_});
  }

 private:
  bool adjacent(std::size_t at, std::string_view text) const {
    return at < words_.size() && words_[at].kind == Word::Kind::sign && words_[at].text == text &&
           words_[at].begin == words_[at - 1].end;
  }

  /// How many words the comparison operator at `at` has; 0: there is none.
  std::size_t comparison(std::size_t at) const {
    const Word& word = words_[at];
    if (word.kind != Word::Kind::sign) return 0;
    if (word.text == "==") return 1;
    if (word.text == "~") return adjacent(at + 1, "=") ? 2 : 0;
    if (word.text != "<" && word.text != ">") return 0;
    const bool shift = adjacent(at + 1, word.text) || (at > 0 && adjacent(at, words_[at - 1].text));
    if (shift || attribute(at)) return 0;
    return adjacent(at + 1, "=") ? 2 : 1;
  }

  /// local x <const> = ...
  bool attribute(std::size_t at) const {
    const std::size_t name = words_[at].text == "<" ? at + 1 : at - 1;
    return at > 0 && name + 1 < words_.size() && is_one_of(words_[name], {"const", "close"}) &&
           words_[name - 1].text == "<" && words_[name + 1].text == ">";
  }

  /// Index of the first word of the operand that ends before `at`.
  std::size_t first_of_left(std::size_t at) const {
    int depth = 0;
    while (at > 0) {
      const Word& word = words_[at - 1];
      if (closes(word)) ++depth;
      if (opens(word) && depth-- == 0) break;
      if (depth == 0 && (bounds_operand(word) || ends_comparison(at - 1))) break;
      --at;
    }
    return at;
  }

  /// Whether the word is an assignment, or the last one of a comparison operator.
  bool ends_comparison(std::size_t at) const {
    if (words_[at].kind == Word::Kind::sign && words_[at].text == "=") return true;
    return comparison(at) == 1 || (at > 0 && comparison(at - 1) == 2);
  }

  /// Index of the word after the operand that begins at `at`.
  std::size_t end_of_right(std::size_t at) const {
    int depth = 0;
    bool value = false;  // the last word may end the operand
    for (; at < words_.size(); ++at) {
      const Word& word = words_[at];
      if (closes(word) && depth-- == 0) break;
      if (depth == 0 && !opens(word) && !closes(word)) {
        if (bounds_operand(word) || comparison(at) != 0) break;
        const bool begins = word.kind == Word::Kind::number ||
                            (word.kind == Word::Kind::name && word.text != "not");
        if ((value && begins) ||
            (word.kind == Word::Kind::sign && word.text == ":" && adjacent(at + 1, ":")))
          break;
      }
      if (opens(word)) ++depth;
      value = ends_value(word);
    }
    return at;
  }

  void wrap(std::size_t at, std::size_t length) {
    const std::size_t left = first_of_left(at), right = at + length, end = end_of_right(right);
    if (left == at || end == right) return;  // not what Lua compiles
    const std::string close =
        fmt::format(",{})", place_of(++count_, relation_of(words_[at], length)));
    before_[words_[left].begin] = std::string(kLeft) + "(" + before_[words_[left].begin];
    after_[words_[at - 1].end] += close;
    before_[words_[right].begin] = std::string(kRight) + "(" + before_[words_[right].begin];
    after_[words_[end - 1].end] += close;
  }

  /// for NAME =
  bool is_loop(std::size_t at) const {
    return is_one_of(words_[at], {"for"}) && at + 3 < words_.size() &&
           is_one_of(words_[at + 2], {"="});
  }

  void wrap_bounds(std::size_t at) {
    while (at < words_.size()) {
      at = wrap_bound(at);
      if (at >= words_.size() || !is_one_of(words_[at], {","})) return;
      ++at;
    }
  }

  /// A value that ends with a comma or `do`: the word after it.
  std::size_t wrap_bound(std::size_t at) {
    std::size_t end = at;
    for (int depth = 0; end < words_.size(); ++end) {
      const Word& word = words_[end];
      if (depth == 0 && is_one_of(word, {",", "do"})) break;
      depth += opens(word) ? 1 : closes(word) ? -1 : 0;
      if (is_one_of(word, {"function"})) return words_.size();  // no such value
    }
    const bool constant = end == at + 1 && words_[at].kind != Word::Kind::name;
    if (end == at || end == words_.size() || constant) return end;
    before_[words_[at].begin] = std::string(kBound) + "(" + before_[words_[at].begin];
    after_[words_[end - 1].end] += ")";
    return end;
  }

  /// The relation that decides what the operator comes to.
  static Relation relation_of(const Word& op, std::size_t length) {
    if (op.text == "==" || op.text == "~") return Relation::equal;
    return (op.text == "<") == (length == 1) ? Relation::less : Relation::greater;
  }

  std::string_view text_;
  std::vector<Word> words_;
  Insertions before_, after_;
  int count_ = 0;
};

/// A number, or a string that reads as one.
std::optional<double> number_at(lua_State* lua, int index) {
  int is_number = 0;
  const double number = lua_tonumberx(lua, index, &is_number);
  if (is_number == 0 || std::isnan(number)) return std::nullopt;
  return number;
}

template <bool Right>
int show(Vm& vm, lua_State* lua) {
  if (vm.run != nullptr)
    vm.run->show_operand(static_cast<int>(lua_tointeger(lua, 2)), Right, operand_at(lua, 1));
  else
    note_compared(vm, operand_at(lua, 1));
  lua_settop(lua, 1);
  return 1;
}

int show_bound(Vm& vm, lua_State* lua) {
  lua_settop(lua, 1);
  show_sought(vm, lua);
  return 1;
}

}  // namespace

void note_compared(Vm& vm, const Operand& operand) {
  if (vm.compared == nullptr) return;
  if (operand.number) *vm.compared += fmt::format("{}", *operand.number);
  *vm.compared += operand.text + "\n";
}

Operand operand_at(lua_State* lua, int index) {
  if (const auto number = number_at(lua, index)) return {number, {}};
  if (lua_type(lua, index) != LUA_TSTRING) return {};
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {{}, {text, size}};
}

void add_compared(int place, const Operand& left, const Operand& right,
                  std::vector<Comparison>& compared) {
  if (left.number && right.number) compared.push_back({place, *left.number, *right.number});
  if (left.number || right.number || !left.tells() || !right.tells()) return;
  if (static_cast<Relation>(place % kRelations) != Relation::equal) {
    const int order = left.text.compare(right.text);
    return compared.push_back({place, static_cast<double>(order), 0});
  }
  for (const Compared& each : numbers_compared(left.text, right.text))
    compared.push_back({place, each.left, each.right});
}

bool orders_tokens(int place, const Operand& left, const Operand& right) {
  return static_cast<Relation>(place % kRelations) != Relation::equal &&
         !scan_tokens(left.text).tokens.empty() && !scan_tokens(right.text).tokens.empty();
}

std::string with_shown_comparisons(std::string_view lua_text) {
  return Rewriter(lua_text).rewritten();
}

void add_comparisons(lua_State* lua) {
  lua_pushcfunction(lua, (native<show<false>>));
  lua_setfield(lua, -2, kLeft);
  lua_pushcfunction(lua, (native<show<true>>));
  lua_setfield(lua, -2, kRight);
  lua_pushcfunction(lua, native<show_bound>);
  lua_setfield(lua, -2, kBound);
}

void show_extremes(Vm& vm, lua_State* lua) {
  for (int index = 1; index <= lua_gettop(lua) && vm.run == nullptr; ++index)
    note_compared(vm, operand_at(lua, index));
  for (int index = 2; index <= lua_gettop(lua) && vm.run != nullptr; ++index)
    vm.run->show_comparison(kExtremes, operand_at(lua, 1), operand_at(lua, index));
}

void show_number(Vm& vm, lua_State* lua, int index) {
  if (vm.run != nullptr)
    vm.run->show_comparison(kSought, {number_at(lua, index), {}}, {0, {}});
  else
    note_compared(vm, operand_at(lua, index));
}

void show_sought(Vm& vm, lua_State* lua) {
  for (int index = 1; index <= lua_gettop(lua); ++index) show_number(vm, lua, index);
}

void show_pattern_sought(Vm& vm, std::string_view text, std::string_view pattern) {
  for (const double number : numbers_sought(text, pattern))
    if (vm.run != nullptr)
      vm.run->show_comparison(kSought, {number, {}}, {0, {}});
    else
      note_compared(vm, {number, {}});
}

}  // namespace lockstep::sim::program
