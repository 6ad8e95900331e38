// Random scripts over the whole language of Lua 5.1: statements, expressions of every type,
// metatables, errors, and the libraries without redis.
#pragma once

#include <string>

#include "conform/dice.hpp"
#include "conform/lua_tree.hpp"

namespace lockstep::conform {

/// A script that ends, and answers with a string (or an error) that shows what it computed. The
/// same numbers give the same script.
Node random_script(Dice& dice);

/// The script without what all of them begin with.
std::string own_part(const std::string& script);

}  // namespace lockstep::conform
