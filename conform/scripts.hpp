// Requests that run scripts and functions: scripts of locks, generated ones that mix commands with
// the libraries, generated Lua, and function libraries with good and bad metadata.
#pragma once

#include <string>
#include <vector>

#include "conform/commands.hpp"
#include "conform/dice.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::conform {

/// An EVAL of one of `scripts`, or of one of our own, on random keys with random arguments.
sim::Request random_eval(const std::vector<std::string>& scripts, Dice& dice);

/// An EVAL, EVALSHA or SCRIPT LOAD, or one of their read-only twins, of a generated script; SCRIPT
/// FLUSH and SCRIPT EXISTS.
sim::Request random_script_command(const Repertoire& repertoire, Dice& dice);

/// A FUNCTION LOAD of a generated library, another FUNCTION command, FCALL or FCALL_RO.
sim::Request random_function_command(const Repertoire& repertoire, Dice& dice);

}  // namespace lockstep::conform
