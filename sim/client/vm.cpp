// The Lua state: its allocator and instruction hook, and what it remembers of a guest that must
// end.
#include "sim/client/vm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"

namespace lockstep::sim::program {
namespace {

constexpr std::int64_t kHookInterval = 1000;

std::string name_of(const std::string& file) { return file.substr(file.rfind('/') + 1); }

}  // namespace

Vm::Vm(std::string file, ProgramLimits limits)
    : file_(std::move(file)), chunk_("=" + name_of(file_)), limits_(limits) {
  state_ = lua_newstate(&Vm::allocate, this);
  LOCKSTEP_CHECK(state_ != nullptr);
  *static_cast<Vm**>(lua_getextraspace(state_)) = this;
  note_lines(false);
}

Vm::~Vm() { lua_close(state_); }

void* Vm::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  Vm& vm = *static_cast<Vm*>(self);
  const auto before = static_cast<std::int64_t>(block == nullptr ? 0 : old_size);
  const auto after = static_cast<std::int64_t>(new_size);
  if (new_size == 0) {
    std::free(block);
    vm.bytes_ -= before;
    return nullptr;
  }
  if (vm.guest_ && after > before && vm.bytes_ + after - before > vm.limits_.bytes) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved != nullptr) vm.bytes_ += after - before;
  vm.denied_ = vm.denied_ || moved == nullptr;
  return moved;
}

void Vm::note_lines(bool on) {
  noted_line_ = 0;
  // Threads inherit both the extra space and the hook.
  lua_sethook(state_, &Vm::at_hook, LUA_MASKCOUNT | (on ? LUA_MASKLINE : 0),
              static_cast<int>(std::min(kHookInterval, limits_.instructions)));
}

void Vm::at_hook(lua_State* lua, lua_Debug* frame) {
  if (frame->event == LUA_HOOKCOUNT) return count(lua);
  lua_getinfo(lua, "S", frame);
  if (of(lua).chunk_ == frame->source) of(lua).noted_line_ = frame->currentline;
}

void Vm::count(lua_State* lua) {
  const int result = as_host(lua, [lua](Vm& vm) {
    if (vm.spend(lua, std::min(kHookInterval, vm.limits_.instructions))) return 0;
    lua_pushnil(lua);
    return kRaise;
  });
  if (result == kRaise) lua_error(lua);
}

bool Vm::spend(lua_State* at, std::int64_t instructions) {
  instructions_ += std::clamp<std::int64_t>(instructions, 0, limits_.instructions);
  if (instructions_ < limits_.instructions) return true;
  complain(at,
           fmt::format("ran {} instructions without waiting for anything", limits_.instructions));
  return false;
}

int Vm::call(int arguments, int results) {
  denied_ = false;
  guest_ = true;
  return ended(lua_pcall(state_, arguments, results, 0), state_);
}

int Vm::resume(lua_State* thread, int arguments, int* results) {
  denied_ = false;
  guest_ = true;
  return ended(lua_resume(thread, state_, arguments, results), thread);
}

int Vm::ended(int status, lua_State* at) {
  guest_ = false;
  if (status == LUA_ERRMEM) end_for_memory(at);
  if (std::exchange(starved_, false)) throw std::bad_alloc();
  return status;
}

void Vm::complain(lua_State* at, std::string_view text) { complain_at(line(at), text); }

void Vm::complain_at(int line, std::string_view text) {
  if (!complaint_) complaint_ = message(line, text);
}

void Vm::end_for_memory(lua_State* at) {
  if (denied_) return starve();
  complain(at, fmt::format("needed more than {} bytes of memory", limits_.bytes));
}

void Vm::settle() {
  query_.reset();
  if (!complaint_) return;
  const std::string text = *std::exchange(complaint_, std::nullopt);
  throw BadInput(text);
}

int Vm::line(lua_State* at) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(at, level, &frame) != 0; ++level) {
    lua_getinfo(at, "Sl", &frame);
    if (frame.currentline > 0 && of(at).chunk_ == frame.source) return frame.currentline;
  }
  return 0;
}

std::string Vm::message(int line, std::string_view text) const {
  if (line == 0) return fmt::format("{}: {}", file_, text);
  return fmt::format("{}:{}: {}", file_, line, text);
}

std::string Vm::placed(const std::string& error) const {
  const std::string name = chunk_.substr(1);
  if (!error.starts_with(name + ":")) return message(0, error);
  return file_ + error.substr(name.size());
}

int raise_text(lua_State* lua, std::string_view text) {
  const int line = Vm::line(lua);
  push_string(lua, line == 0 ? std::string(text)
                             : fmt::format("{}:{}: {}", Vm::of(lua).chunk() + 1, line, text));
  return kRaise;
}

std::string_view string_at(lua_State* lua, int index) {
  LOCKSTEP_CHECK(lua_type(lua, index) == LUA_TSTRING);
  std::size_t size = 0;
  const char* bytes = lua_tolstring(lua, index, &size);
  return {bytes, size};
}

void push_string(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

}  // namespace lockstep::sim::program
