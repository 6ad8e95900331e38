// Finds the accesses to tables in a text, and lets another task go first at them; see the header.
#include "sim/client/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/client/api_parts.hpp"
#include "sim/client/captured.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/text.hpp"

namespace lockstep::sim::program {
namespace {

const char* const kAt = "lockstep_at";
const char* const kSeen = "lockstep_seen";
const char* const kOf = "lockstep_of";
const char* const kKey = "lockstep_key";

/// What the keys of the first access are compared as: no other comparison has so high a number.
constexpr int kFirstKey = 1'000'000;

constexpr std::array<std::string_view, 6> kInExpressions{"and", "false", "nil",
                                                         "not", "or",    "true"};

class AccessRewriter {
 public:
  AccessRewriter(std::string_view text, bool keys_only)
      : text_(text), words_(words_of(text)), keys_only_(keys_only) {}

  std::string rewritten() {
    for (std::size_t at = 1; at < words_.size(); ++at)
      if (is_access(at)) wrap(at);
    if (!keys_only_) show_uses();
    return with_insertions(text_, {&after_, &after_keys_, &before_keys_, &before_});
  }

 private:
  bool is_sign(std::size_t at, std::string_view text) const {
    return at < words_.size() && words_[at].kind == Word::Kind::sign && words_[at].text == text;
  }
  bool touches(std::size_t at) const {  // the word before it
    return at > 0 && at < words_.size() && words_[at - 1].end == words_[at].begin;
  }
  bool is_name(std::size_t at) const {
    return words_[at].kind == Word::Kind::name && !program::is_keyword(words_[at]);
  }
  bool is_keyword(std::size_t at) const { return program::is_keyword(words_[at]); }
  bool closes(std::size_t at) const {
    return is_sign(at, ")") || is_sign(at, "]") || is_sign(at, "}");
  }
  bool opens(std::size_t at) const {
    return is_sign(at, "(") || is_sign(at, "[") || is_sign(at, "{");
  }
  /// A dot of its own, not one of two or three.
  bool is_dot(std::size_t at) const {
    const bool of_more = (is_sign(at + 1, ".") && touches(at + 1)) ||
                         (at > 0 && is_sign(at - 1, ".") && touches(at));
    return is_sign(at, ".") && !of_more;
  }
  bool is_colon(std::size_t at) const {
    const bool of_more = (is_sign(at + 1, ":") && touches(at + 1)) ||
                         (at > 0 && is_sign(at - 1, ":") && touches(at));
    return is_sign(at, ":") && !of_more;
  }
  /// Whether what can be indexed or called may end with this word.
  bool ends_prefix(std::size_t at) const {
    return is_name(at) || is_sign(at, ")") || is_sign(at, "]");
  }
  /// An equals sign that is no comparison.
  bool is_assignment(std::size_t at) const {
    if (!is_sign(at, "=")) return false;
    const bool before = touches(at) && (is_sign(at - 1, "~") || is_sign(at - 1, "<") ||
                                        is_sign(at - 1, ">") || is_sign(at - 1, "="));
    return !before && !(is_sign(at + 1, "=") && touches(at + 1));
  }

  bool is_access(std::size_t at) const {
    if (!ends_prefix(at - 1)) return false;
    return is_sign(at, "[") || (is_dot(at) && at + 1 < words_.size() && is_name(at + 1));
  }

  /// A variable of which the length is asked, or a method called, or that a function is given: what
  /// looks at its table is no access that the text shows.
  bool is_used(std::size_t at) const {
    if (!is_name(at) || words_[at].text.starts_with("lockstep_")) return false;
    if (is_dot(at - 1) || is_colon(at - 1) || words_[at - 1].text == "function") return false;
    const bool method = is_colon(at + 1) && at + 2 < words_.size() && is_name(at + 2);
    const bool goes_on = is_dot(at + 1) || is_sign(at + 1, "[") || is_sign(at + 1, "(");
    return method || (is_sign(at - 1, "#") && !goes_on) || is_argument(at);
  }

  /// In what stands what begins here: the bracket that is open there, or, where a statement can
  /// stand, the keyword behind which it does. Nothing at the beginning of the text.
  std::optional<std::size_t> around_of(std::size_t at) const {
    int depth = 0, blocks = 0;  // that end before it
    while (at-- > 1) {
      if (closes(at)) ++depth;
      if (opens(at) && depth-- == 0) return at;
      if (depth > 0 || !is_keyword(at)) continue;
      const std::string& word = words_[at].text;
      if (word == "end") ++blocks;
      if (blocks == 0 && !std::ranges::binary_search(kInExpressions, word)) return at;
      if (word == "function" || word == "if" || word == "do") --blocks;
    }
    return std::nullopt;
  }

  bool is_argument(std::size_t at) const {
    if (!is_sign(at - 1, "(") && !is_sign(at - 1, ",")) return false;
    if (!is_sign(at + 1, ")") && !is_sign(at + 1, ",")) return false;
    const std::optional<std::size_t> around = around_of(at);
    return around && is_sign(*around, "(") && is_call(*around);
  }

  /// Whether what is in the brackets is given to a function, not the names of what one is given.
  bool is_call(std::size_t at) const {
    if (!ends_prefix(at - 1)) return false;
    const std::size_t begin = prefix_of(at);
    return !words_[begin].text.starts_with("lockstep_") &&
           (begin == 0 || words_[begin - 1].text != "function");
  }

  std::size_t opening_of(std::size_t at) const {
    int depth = 0;
    for (;; --at) {
      if (closes(at)) ++depth;
      if (opens(at) && --depth == 0) return at;
      if (at == 0) return at;
    }
  }
  std::size_t closing_of(std::size_t at) const {
    int depth = 0;
    for (; at < words_.size(); ++at) {
      if (opens(at)) ++depth;
      if (closes(at) && --depth == 0) return at;
    }
    return words_.size() - 1;
  }

  /// Index of the first word of what the access at `at` is to.
  std::size_t prefix_of(std::size_t at) const {
    for (;;) {
      --at;
      if (closes(at)) at = opening_of(at);
      if (at == 0) return at;
      const bool bracket = opens(at);
      if (bracket && ends_prefix(at - 1)) continue;  // of a call, or an index
      if (!bracket && (is_dot(at - 1) || is_colon(at - 1))) {
        --at;
        continue;
      }
      return at;
    }
  }

  /// Index of the word behind an expression that can be assigned to.
  std::size_t behind_target(std::size_t at) const {
    if (at < words_.size()) ++at;
    while (at < words_.size()) {
      if (opens(at))
        at = closing_of(at) + 1;
      else if (is_dot(at) || is_colon(at))
        at += 2;
      else
        break;
    }
    return at;
  }
  /// Whether what ends before `at` is assigned to, alone or as one of several.
  bool is_target(std::size_t at) const {
    while (is_sign(at, ",")) at = behind_target(at + 1);
    return at < words_.size() && is_assignment(at);
  }

  void wrap(std::size_t at) {
    const std::size_t begin = prefix_of(at);
    if (begin > 0 && words_[begin - 1].kind == Word::Kind::name &&
        words_[begin - 1].text == "function")
      return;
    const bool bracket = is_sign(at, "[");
    const std::size_t end = bracket ? closing_of(at) : at + 1;
    if (bracket) wrap_key(begin, at, end);
    if (!keys_only_) wrap_access(begin, at, end);
  }

  /// Whether to work out the words twice is as once: they are `a` or `a.b.c`.
  bool only_names(std::size_t begin, std::size_t end) const {
    for (; begin < end; ++begin)
      if (!is_name(begin) && !is_dot(begin)) return false;
    return true;
  }

  void wrap_key(std::size_t begin, std::size_t at, std::size_t end) {
    const int place = place_of(kFirstKey + keys_++, Relation::equal);
    const std::size_t first = words_[begin].begin, last = words_[at - 1].end;
    before_keys_[words_[at + 1].begin] = std::string(kKey) + "(";
    std::string& after = after_keys_[words_[end - 1].end];
    if (only_names(begin, at)) {  // as it is, so that errors name it
      after += fmt::format(",{},{})", place, text_.substr(first, last - first));
      return;
    }
    before_[first] = std::string(kOf) + "(" + before_[first];
    after_[last] += fmt::format(",{})", place);
    after += fmt::format(",{})", place);
  }

  /// Whether what ends before `at` is indexed or called there.
  bool goes_on(std::size_t at) const {
    return at < words_.size() &&
           (is_dot(at) || is_colon(at) || opens(at) || words_[at].kind == Word::Kind::string);
  }

  /// Puts a call around the words.
  void wrap_in(const char* function, std::size_t first, std::size_t last) {
    std::string& before = before_[words_[first].begin];
    before = std::string(function) + "(" + before;
    after_[words_[last].end] += ")";
  }

  void wrap_access(std::size_t begin, std::size_t at, std::size_t end) {
    wrap_in(kAt, begin, at - 1);
    if (!goes_on(end + 1) && !is_target(end + 1)) wrap_in(kSeen, begin, end);
  }

  void show_uses() {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      if (is_used(at)) wrap_in(kAt, at, at);
      if (is_keyword(at) && words_[at].text == "in") begin_rounds(at);
    }
    show_shared_variables();
  }

  /// Each round of a loop over a table, behind `in`, looks for the next of its keys.
  void begin_rounds(std::size_t at) {
    std::size_t behind = at + 1;
    while (behind < words_.size() && !(is_keyword(behind) && words_[behind].text == "do"))
      behind = opens(behind) ? closing_of(behind) + 1 : behind + 1;
    if (behind >= words_.size() || is_sign(at + 2, "{") || is_sign(at + 3, "{")) return;
    const bool by_name = behind == at + 5 && is_sign(at + 2, "(") && is_name(at + 3);
    after_[words_[behind].end] +=
        by_name ? fmt::format(" {}({});", kAt, words_[at + 3].text) : fmt::format(" {}();", kSeen);
  }

  /// A variable that functions share is read before the other task comes, and written after it.
  void show_shared_variables() {
    const auto in_brackets = [&](std::size_t at) {
      const std::optional<std::size_t> around = around_of(at);
      return around && opens(*around);
    };
    const auto is_assigned = [&](std::size_t at) { return is_target(at + 1) && !in_brackets(at); };
    std::set<std::size_t> statements;
    for (const std::size_t at : uses_of_shared_variables(words_, is_assigned)) {
      if (is_assigned(at)) {
        std::size_t first = at;
        while (first > 1 && is_sign(first - 1, ",")) first = prefix_of(first - 1);
        statements.insert(words_[first].begin);
      } else if (!is_target(at + 1) && !goes_on(at + 1)) {  // a target in brackets names a field
        wrap_in(kSeen, at, at);
      }
    }
    for (const std::size_t begin : statements)
      before_[begin] = fmt::format("{}(); {}", kSeen, before_[begin]);
  }

  std::string_view text_;
  std::vector<Word> words_;
  bool keys_only_;
  int keys_ = 0;
  // What is around a key is around all that begins or ends with it, too.
  Insertions before_, after_, before_keys_, after_keys_;
};

int switch_here(Vm& vm, lua_State* lua) {
  lua_settop(lua, 1);
  return vm.run == nullptr ? 1 : done_or_cut(*vm.run, lua, Cut::access);
}

/// Before an access: only a table of the program's own, or a task or a mutex, can be somebody
/// else's, too.
int at(Vm& vm, lua_State* lua) {
  lua_settop(lua, 1);
  const bool is_shared = lua_istable(lua, 1) || lua_isuserdata(lua, 1);
  if (vm.run == nullptr || !is_shared || vm.run->is_of_module(lua, 1)) return 1;
  return switch_here(vm, lua);
}

int goes_on(Vm&, lua_State*) { return 1; }

const char kIndexed = 0;  // its address: where the registry has the tables, by place

int of(Vm&, lua_State* lua) {
  if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &kIndexed) == LUA_TNIL) {
    lua_newtable(lua);
    lua_copy(lua, -1, -2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &kIndexed);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &kIndexed);
  }
  lua_pushvalue(lua, 1);
  lua_rawseti(lua, -2, lua_tointeger(lua, 2));
  lua_settop(lua, 1);
  return 1;
}

/// Puts the table of which this is a key on the stack, or something else.
void push_indexed(lua_State* lua, int place) {
  if (lua_gettop(lua) == 3) return;
  if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &kIndexed) != LUA_TTABLE) return;
  lua_rawgeti(lua, -1, place);
}

int key(Vm& vm, lua_State* lua) {
  const auto place = static_cast<int>(lua_tointeger(lua, 2));
  const Operand own = operand_at(lua, 1);
  push_indexed(lua, place);
  if (vm.run == nullptr) note_compared(vm, own);
  if (vm.run != nullptr && own.tells() && lua_istable(lua, -1)) {
    std::vector<Operand> keys;  // in an order that does not depend on hashes
    const int table = lua_gettop(lua);
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1))
      keys.push_back(operand_at(lua, table + 1));
    if (!vm.spend(lua, static_cast<std::int64_t>(keys.size()) / 2)) {
      lua_pushnil(lua);
      return kRaise;
    }
    std::ranges::sort(keys);
    for (const Operand& other : keys) vm.run->show_comparison(place, own, other);
  }
  lua_settop(lua, 1);
  return 1;
}

}  // namespace

std::string with_shown_accesses(std::string_view lua_text) {
  return AccessRewriter(lua_text, false).rewritten();
}

std::string with_shown_keys(std::string_view lua_text) {
  return AccessRewriter(lua_text, true).rewritten();
}

void add_accesses(lua_State* lua) {
  lua_pushcfunction(lua, (native<at, goes_on>));
  lua_setfield(lua, -2, kAt);
  lua_pushcfunction(lua, (native<switch_here, goes_on>));
  lua_setfield(lua, -2, kSeen);
  lua_pushcfunction(lua, (native<of>));
  lua_setfield(lua, -2, kOf);
  lua_pushcfunction(lua, (native<key>));
  lua_setfield(lua, -2, kKey);
}

}  // namespace lockstep::sim::program
