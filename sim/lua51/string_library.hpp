// The string functions with patterns, for the table of string_library.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

int string_find(lua_State* L);
int string_match(lua_State* L);
int string_gmatch(lua_State* L);
int string_gsub(lua_State* L);

/// A position from the end if negative; never below 0.
std::int64_t relative_position(std::int64_t position, std::size_t length);

}  // namespace lockstep::sim::dialect
