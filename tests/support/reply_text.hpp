// Replies as lines of text, as tests write them down.
#pragma once

#include <string>

#include "sim/redis/reply.hpp"

namespace lockstep::test {

/// A reply as one line, for comparing and showing.
inline std::string show(const sim::Reply& reply) {
  using Kind = sim::Reply::Kind;
  std::string text;
  switch (reply.kind) {
    case Kind::null:
      return "(nil)";
    case Kind::status:
      return text.append("+").append(reply.text);
    case Kind::error:
      return text.append("-").append(reply.text);
    case Kind::integer:
      return text.append(":").append(std::to_string(reply.integer));
    case Kind::bulk:
      return text.append("'").append(reply.text).append("'");
    case Kind::array:
      break;
  }
  for (const sim::Reply& item : reply.items) {
    text.append(text.empty() ? "[" : " ").append(show(item));
  }
  return text.empty() ? "[]" : text.append("]");
}

}  // namespace lockstep::test
