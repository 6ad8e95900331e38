// Finds the loops in a text, and hears of their rounds while it runs; see the header.
#include "sim/client/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/client/run.hpp"
#include "sim/client/text.hpp"

namespace lockstep::sim::program {
namespace {

const char* const kBegins = "lockstep_begins";
const char* const kRound = "lockstep_round";
constexpr int kAlwaysAnew = 0;  ///< of a round that nothing begins

class LoopMarker {
 public:
  explicit LoopMarker(std::string_view text) : text_(text), words_(words_of(text)) {}

  std::string rewritten() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (is(at, "while")) mark(at, " {}({}) and ");
      if (is(at, "repeat")) mark(at, " {}({}); ");
      if ((is(at, "goto") && leads_back(at)) || (is(at, "return") && calls_enclosing(at + 1)))
        before_[words_[at].begin] = fmt::format("{}({}) ", kRound, kAlwaysAnew);
      follow_blocks(at);
    }
    return with_insertions(text_, {&after_, &before_});
  }

 private:
  bool is(std::size_t at, std::string_view text) const {
    return at < words_.size() && words_[at].kind != Word::Kind::string && words_[at].text == text;
  }
  bool is_name(std::size_t at) const {
    return at < words_.size() && words_[at].kind == Word::Kind::name;
  }
  bool joins_names(std::size_t at) const { return is(at, ".") || is(at, ":"); }

  void mark(std::size_t at, fmt::format_string<const char* const&, int&> round) {
    ++count_;
    before_[words_[at].begin] = fmt::format("{}({}) ", kBegins, count_);
    after_[words_[at].end] = fmt::format(round, kRound, count_);
  }

  /// goto NAME, after ::NAME::
  bool leads_back(std::size_t at) const {
    for (std::size_t label = 2; label + 2 < at; ++label)
      if (is_name(at + 1) && is(label, words_[at + 1].text) && is(label - 1, ":") &&
          is(label - 2, ":") && is(label + 1, ":") && is(label + 2, ":"))
        return true;
    return false;
  }

  /// The last name of `a.b:c`, which begins at `at`.
  std::size_t last_of_names(std::size_t at) const {
    while (joins_names(at + 1) && is_name(at + 2)) at += 2;
    return at;
  }

  /// A call of a function inside of itself.
  bool calls_enclosing(std::size_t at) const {
    if (!is_name(at)) return false;
    const std::size_t name = last_of_names(at);
    return is(name + 1, "(") && std::ranges::find(blocks_, words_[name].text) != blocks_.end();
  }

  /// Keeps the name of the function that each open block is the body of; else it has none.
  void follow_blocks(std::size_t at) {
    if (is(at, "function")) {
      const bool named = is_name(at + 1);
      blocks_.push_back(named ? words_[last_of_names(at + 1)].text : "");
    } else if (is(at, "if") || is(at, "do") || is(at, "repeat")) {
      blocks_.emplace_back();
    } else if ((is(at, "end") || is(at, "until")) && !blocks_.empty()) {
      blocks_.pop_back();
    }
  }

  std::string_view text_;
  std::vector<Word> words_;
  std::vector<std::string> blocks_;
  Insertions before_, after_;
  int count_ = kAlwaysAnew;
};

int loop_begins(Vm& vm, lua_State* lua) {
  if (vm.run != nullptr) vm.run->loop_begins(static_cast<int>(lua_tointeger(lua, 1)));
  return 0;
}

int loop_round(Vm& vm, lua_State* lua) {
  if (vm.run != nullptr) vm.run->loop_goes_round(static_cast<int>(lua_tointeger(lua, 1)));
  lua_pushboolean(lua, 1);
  return 1;
}

}  // namespace

std::string with_marked_loops(std::string_view lua_text) {
  return LoopMarker(lua_text).rewritten();
}

void add_loops(lua_State* lua) {
  lua_pushcfunction(lua, native<loop_begins>);
  lua_setfield(lua, -2, kBegins);
  lua_pushcfunction(lua, native<loop_round>);
  lua_setfield(lua, -2, kRound);
}

bool calls_itself(lua_State* lua) {
  std::vector<const void*> functions;
  lua_Debug frame;
  for (int level = 0; lua_getstack(lua, level, &frame) != 0; ++level) {
    lua_getinfo(lua, "fS", &frame);
    const bool own = lua_iscfunction(lua, -1) == 0 && std::string_view(frame.source) != "=retry";
    if (own) functions.push_back(lua_topointer(lua, -1));
    lua_pop(lua, 1);
  }
  std::ranges::sort(functions);
  return std::ranges::adjacent_find(functions) != functions.end();
}

}  // namespace lockstep::sim::program
