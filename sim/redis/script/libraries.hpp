// The libraries that Redis's scripts find beside those of Lua 5.1.
#pragma once

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

// Each leaves its table on the stack.
void open_bit(lua_State* L);
void open_struct(lua_State* L);
void open_cmsgpack(lua_State* L);
void open_cjson(lua_State* L);

}  // namespace lockstep::sim::dialect
