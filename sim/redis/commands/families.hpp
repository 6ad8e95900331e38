// The families of commands: a file each, with a function for each command and the rows that tell
// what it is. A new command is a function and a row; a new family is one line more here.
#pragma once

#include <array>
#include <span>

#include "sim/redis/commands/table.hpp"

namespace lockstep::sim {

std::span<const Command> string_commands();
std::span<const Command> counter_commands();
std::span<const Command> bit_commands();
std::span<const Command> lcs_commands();
std::span<const Command> hash_commands();
std::span<const Command> list_commands();
std::span<const Command> list_item_commands();
std::span<const Command> set_commands();
std::span<const Command> set_algebra_commands();
std::span<const Command> sorted_set_commands();
std::span<const Command> sorted_set_range_commands();
std::span<const Command> sorted_set_algebra_commands();
std::span<const Command> generic_commands();
std::span<const Command> expiry_commands();
std::span<const Command> scan_commands();
std::span<const Command> sort_commands();
std::span<const Command> object_commands();
std::span<const Command> dump_commands();
std::span<const Command> database_commands();
std::span<const Command> server_commands();
std::span<const Command> introspection_commands();
std::span<const Command> connection_commands();
std::span<const Command> client_commands();
std::span<const Command> transaction_commands();
std::span<const Command> pubsub_commands();
std::span<const Command> blocking_commands();
std::span<const Command> scripting_commands();
std::span<const Command> function_commands();
std::span<const Command> unsimulated_commands();

inline constexpr std::array kFamilies{string_commands,
                                      counter_commands,
                                      bit_commands,
                                      lcs_commands,
                                      hash_commands,
                                      list_commands,
                                      list_item_commands,
                                      set_commands,
                                      set_algebra_commands,
                                      sorted_set_commands,
                                      sorted_set_range_commands,
                                      sorted_set_algebra_commands,
                                      generic_commands,
                                      expiry_commands,
                                      scan_commands,
                                      sort_commands,
                                      object_commands,
                                      dump_commands,
                                      database_commands,
                                      server_commands,
                                      introspection_commands,
                                      connection_commands,
                                      client_commands,
                                      transaction_commands,
                                      pubsub_commands,
                                      blocking_commands,
                                      scripting_commands,
                                      function_commands,
                                      unsimulated_commands};

}  // namespace lockstep::sim
