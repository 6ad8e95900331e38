// What a protocol's safety may rest on: options, commands, comparisons, tokens and tasks in its
// text, each of which can be taken away by itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::scenarios {

struct Mechanism {
  std::string file;     ///< in the protocol's folder: "release.lua"
  int line = 0;         ///< where it begins
  std::string what;     ///< "NX", "redis.call('get', KEYS[1]) == ARGV[1]"
  std::string without;  ///< "left out", "always true"
  std::string changed;  ///< the file's text without it
};

/// Those of the files in `folder` that end in ".lua", by file and place. A comparison that decides
/// (of an `if`, an `elseif`, or a `return`, each side of an `and` and `or` by itself) is there
/// twice: taken as true, and as false; it is still computed. Throws BadInput if a file cannot be
/// read; one that is no Lua 5.1, but for what 5.4 has for operators, has none.
std::vector<Mechanism> mechanisms(const std::filesystem::path& folder);

}  // namespace lockstep::scenarios
