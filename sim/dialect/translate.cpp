// From Lua 5.1 to Lua 5.4.
#include "sim/dialect/translate.hpp"

#include "sim/dialect/parser.hpp"

namespace lockstep::sim::dialect {

Translation translate(std::string_view source, const std::string& chunk) {
  Draft draft(source, chunk);
  Parser(draft).chunk();
  return draft.write();
}

}  // namespace lockstep::sim::dialect
