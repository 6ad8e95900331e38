// Random calls of the libraries that Redis gives scripts beside Lua's own, as Lua source.
#pragma once

#include <string>
#include <vector>

#include "conform/dice.hpp"

namespace lockstep::conform {

/// Defines `c(...)`, which shows every value of a list, tables by their sorted contents.
extern const char* const kShowValues;

/// The bytes as a string of Lua.
std::string lua_literal(const std::string& bytes);

/// An expression: a call with random arguments, most of them inside a pcall.
std::string bit_call(Dice& dice);
std::string struct_call(Dice& dice);
std::string cmsgpack_call(Dice& dice);
std::string cjson_call(Dice& dice);

/// A script that answers, for each of the expressions, with a text that shows all of its values.
std::string showing(const std::vector<std::string>& expressions);

}  // namespace lockstep::conform
