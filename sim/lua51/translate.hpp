// From Lua 5.1 to Lua 5.4: a 5.1 parser that writes a text which stock 5.4 runs with 5.1's meaning,
// line by line. Numerals become floats; concatenations, %, ^, # and for-bounds become calls of
// helpers, and so do comparisons and keys of assignments where a metatable may have a say. What 5.4
// would read in another way is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/lua51/lexer.hpp"

namespace lockstep::sim::dialect {

/// What an operand is called in an error ("local 'x'"), or empty if 5.1 has no name for it.
using OperandName = std::string;

/// An operator whose operands an error may have to name.
struct Site {
  int line = 0;  ///< where 5.1 places the operation: the end of its last operand
  std::vector<OperandName> operands;
};

/// What one line of the translated text stands for. Each arithmetic operator has a line of its own
/// there, so that a place in the translated text tells which operation failed.
struct Line {
  int source = 1;  ///< the line of the script
  int site = -1;   ///< index of the operation, or -1
};

/// The helpers that a translated text calls, in the order in which they are its arguments.
enum Helper : std::uint8_t {
  kConcat,  ///< a .. b .. c
  kModulo,
  kPower,
  kLength,     ///< #
  kBounds,     ///< the three bounds of a numeric for
  kIterator,   ///< the first three of a generic for's values
  kArgTable,   ///< the table arg of a function with varargs
  kNewKey,     ///< where a metatable may have a say: the key of an assignment to t[key]
  kEqual,      ///< the same: ==
  kLess,       ///< <
  kLessEqual,  ///< <=
  kGreater,
  kGreaterEqual,
  kReadKey,  ///< the same: the key of t[key]
};
inline constexpr const char* kHelpers[] = {
    "lockstep_concat",   "lockstep_mod", "lockstep_pow", "lockstep_len", "lockstep_bounds",
    "lockstep_iterator", "lockstep_arg", "lockstep_key", "lockstep_eq",  "lockstep_lt",
    "lockstep_le",       "lockstep_gt",  "lockstep_ge",  "lockstep_read"};

/// What stands before a variable's name that 5.4 reserves: goto is written lockstep_goto.
inline constexpr std::string_view kRenamed = "lockstep_";

struct Translation {
  std::string text;  ///< a chunk that takes the helpers and returns the script as a function
  std::vector<Site> sites;
  std::vector<Line> lines;    ///< of `text`, the first one first
  bool may_run_long = false;  ///< has a loop or a function
  bool may_vary = false;      ///< mentions a function that shows the order of a table or an address
};

/// What a chunk is, beside a script by itself.
enum class ChunkKind : std::uint8_t {
  script,
  foreign,  ///< it may be given tables that another chunk has made (load)
};

/// Translates `source`; `chunk` is its name in errors. Throws SyntaxError for what Lua 5.1 does not
/// compile, and BadInput for what it compiles and this layer cannot run faithfully.
Translation translate(std::string_view source, const std::string& chunk,
                      ChunkKind kind = ChunkKind::script);

}  // namespace lockstep::sim::dialect
