// From Lua 5.1 to Lua 5.4.
#include "sim/lua51/translate.hpp"

#include <algorithm>
#include <array>

#include "sim/lua51/parser.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Whether a table with a metatable may turn up in the chunk: who can set one is named in its text,
/// or reached through the globals or another chunk.
bool may_meet_metatables(std::string_view source) {
  constexpr std::array<std::string_view, 3> kWays{"setmetatable", "_G", "load"};
  return std::ranges::any_of(kWays,
                             [&](std::string_view way) { return source.find(way) != source.npos; });
}

}  // namespace

Translation translate(std::string_view source, const std::string& chunk, ChunkKind kind) {
  Draft draft(source, chunk);
  const bool metatables = kind == ChunkKind::foreign || may_meet_metatables(source);
  Parser(draft, metatables).chunk();
  return draft.write();
}

}  // namespace lockstep::sim::dialect
