// See the header.
#include "sim/client/belief.hpp"

#include <cstring>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/check.hpp"
#include "sim/client/values.hpp"
#include "sim/client/view.hpp"

namespace lockstep::sim {

void ViewWriter::broken(double number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  scalar('d', {bytes, sizeof number});
}

namespace {

/// The scalar after the kind at the front of `rest`, which both are cut off from.
std::string_view take_scalar(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  const auto size = static_cast<std::size_t>(whole_number_in(rest.substr(0, colon)));
  const std::string_view text = rest.substr(colon + 1, size);
  rest.remove_prefix(colon + 1 + size);
  return text;
}

/// Each by another distance, so that no difference stays.
class NumberVarier {
 public:
  NumberVarier(std::string_view rest, unsigned whose) : rest_(rest), distance_(1009 + 2 * whose) {}

  std::string varied() {
    while (!rest_.empty()) value(false);
    return out_.take();
  }

 private:
  void value(bool is_key) {
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    if (kind == '{') return table();
    if (kind == 't' || kind == 'f') return out_.yes_or_no(kind == 't');
    const std::string_view text = take_scalar(rest_);
    if (kind == 's')
      return out_.text(with_digit_runs(text, [&](std::string_view run) {
        return run.size() < 3 ? std::string(run) : std::to_string(other(whole_number_in(run)));
      }));
    if (kind == 'd') {
      double number = 0;
      std::memcpy(&number, text.data(), sizeof number);
      return out_.broken(number + static_cast<double>(other(0)));
    }
    constexpr std::int64_t kPlaces = 100;
    const std::int64_t number = whole_number_in(text);
    out_.whole(is_key && number < kPlaces ? number : other(number));
  }

  void table() {
    out_.begin();
    for (bool is_key = true; rest_.front() != '}'; is_key = !is_key) value(is_key);
    rest_.remove_prefix(1);
    out_.end();
  }

  std::int64_t other(std::int64_t number) { return number + distance_ * ++count_; }

  std::string_view rest_;
  ViewWriter out_;
  const std::int64_t distance_;
  std::int64_t count_ = 0;
};

}  // namespace

std::string with_other_numbers(std::string_view values, unsigned whose) {
  return NumberVarier(values, whose).varied();
}

namespace program {

namespace {

constexpr std::size_t kDeepestView = 50;

/// Writes Lua values. What is no plain data (functions, instants, mutexes, handles) is left out,
/// and so is a table inside itself.
class Teller {
 public:
  explicit Teller(lua_State* lua) : lua_(lua) {}

  /// The table on top of the stack, which is popped; anything else is an empty one.
  void table() {
    writer_.begin();
    if (lua_istable(lua_, -1)) fields();
    writer_.end();
    lua_pop(lua_, 1);
  }

  ViewWriter& writer() { return writer_; }

 private:
  void fields() {
    luaL_checkstack(lua_, 10, "tables nest too deep");
    above_.push_back(lua_topointer(lua_, -1));
    bool all = true;
    for (const Key& key : sorted_keys(lua_, -1, &all)) {
      push_key(lua_, key);
      lua_rawget(lua_, -2);
      if (is_plain()) {
        tell_key(key);
        value();
      }
      lua_pop(lua_, 1);
    }
    above_.pop_back();
  }

  bool is_plain() const {
    const int type = lua_type(lua_, -1);
    if (type != LUA_TTABLE)
      return type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
    for (const void* table : above_)
      if (table == lua_topointer(lua_, -1)) return false;
    return above_.size() < kDeepestView;
  }

  void tell_key(const Key& key) {
    if (key.kind == Key::Kind::whole) writer_.whole(key.whole);
    if (key.kind == Key::Kind::broken) writer_.broken(key.broken);
    if (key.kind == Key::Kind::text) writer_.text(key.text);
  }

  void value() {
    if (lua_isboolean(lua_, -1)) return writer_.yes_or_no(lua_toboolean(lua_, -1) != 0);
    if (lua_isinteger(lua_, -1) != 0) return writer_.whole(lua_tointeger(lua_, -1));
    if (lua_type(lua_, -1) == LUA_TNUMBER) return writer_.broken(lua_tonumber(lua_, -1));
    if (lua_type(lua_, -1) == LUA_TSTRING) return writer_.text(string_at(lua_, -1));
    writer_.begin();
    fields();
    writer_.end();
  }

  lua_State* lua_;
  ViewWriter writer_;
  std::vector<const void*> above_;  // the tables that are being told
};

class Reader {
 public:
  Reader(lua_State* lua, std::string_view rest) : lua_(lua), rest_(rest) {}

  void push() {
    luaL_checkstack(lua_, 10, "views nest too deep");
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    if (kind == '{') return push_table();
    if (kind == 't' || kind == 'f') return lua_pushboolean(lua_, kind == 't');
    const std::string_view text = take_scalar(rest_);
    if (kind == 's') return push_string(lua_, text);
    if (kind == 'i') return lua_pushinteger(lua_, whole_number_in(text));
    LOCKSTEP_CHECK(kind == 'd');
    double number = 0;
    std::memcpy(&number, text.data(), sizeof number);
    lua_pushnumber(lua_, number);
  }

 private:
  void push_table() {
    lua_newtable(lua_);
    while (rest_.front() != '}') {
      push();
      push();
      lua_rawset(lua_, -3);
    }
    rest_.remove_prefix(1);
  }

  lua_State* lua_;
  std::string_view rest_;
};

}  // namespace

std::string belief_of(Vm& vm, Run& run) {
  lua_State* lua = vm.state();
  Teller teller(lua);
  ViewWriter& out = teller.writer();
  out.text("locks");
  out.begin();
  for (std::size_t at = 0; at < run.objects.size(); ++at) {
    out.text(run.object_keys[at]);
    run.push(lua, run.objects[at]);
    teller.table();
  }
  out.end();
  out.text("process");
  run.push(lua, run.process_table);
  teller.table();
  out.text("threads");
  out.begin();
  for (const auto& task : run.tasks) {
    if (!task->main) continue;
    out.whole(task->id + 1);
    run.push(lua, task->locals);
    teller.table();
  }
  out.end();
  return out.take();
}

void push_view(lua_State* lua, std::string_view view) { Reader(lua, view).push(); }

}  // namespace program

}  // namespace lockstep::sim
