// Bytes that a C function of the script VM puts together while it uses the Lua stack freely.
#pragma once

#include <algorithm>
#include <string_view>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

/// A growing buffer in a userdata of Lua's: it counts against the VM's memory, and nothing is lost
/// when Lua raises an error. Valid as long as the stack keeps the slot that the constructor pushed.
class Output {
 public:
  explicit Output(lua_State* L) : L_(L) {
    data_ = static_cast<char*>(lua_newuserdatauv(L, kFirst, 0));
    slot_ = lua_gettop(L);
  }

  void add(char byte) { add(std::string_view(&byte, 1)); }
  void add(std::string_view bytes) {
    if (bytes.size() > capacity_ - size_) grow(bytes.size());
    std::ranges::copy(bytes, data_ + size_);
    size_ += bytes.size();
  }
  void add(std::size_t count, char byte) {
    for (; count > 0; --count) add(byte);
  }
  void clear() { size_ = 0; }
  /// Pushes what was added, as a string.
  void push() const { lua_pushlstring(L_, data_, size_); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFirst = 256;

  void grow(std::size_t needed) {
    luaL_checkstack(L_, 1, nullptr);
    const std::size_t capacity = std::max(2 * capacity_, size_ + needed);
    auto* moved = static_cast<char*>(lua_newuserdatauv(L_, capacity, 0));
    std::copy_n(data_, size_, moved);
    lua_replace(L_, slot_);
    data_ = moved;
    capacity_ = capacity;
  }

  lua_State* L_;
  int slot_;
  char* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kFirst;
};

}  // namespace lockstep::sim::dialect
