// JSON as lua-cjson 2.1.0 writes and reads it.
#pragma once

#include "sim/keyspace/json_settings.hpp"
#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

/// Pushes the value at index 1, the only one on the stack, as JSON. Raises lua-cjson's errors.
void push_as_json(lua_State* L, const JsonSettings& settings);
/// Pushes the value of the JSON text at index 1, the only one on the stack. Raises its errors.
void push_from_json(lua_State* L, const JsonSettings& settings);

}  // namespace lockstep::sim::dialect
