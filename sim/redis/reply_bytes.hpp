// Canonical bytes of what travels between a client and a node.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/bytes.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

inline void write(ByteWriter& out, const Request& request) {
  out.number(static_cast<std::int64_t>(request.size()));
  for (const auto& argument : request) out.text(argument);
}

inline void write(ByteWriter& out, const Reply& reply) {
  out.number(static_cast<int>(reply.kind));
  out.number(reply.integer);
  out.text(reply.text);
  out.number(static_cast<std::int64_t>(reply.items.size()));
  for (const auto& item : reply.items) write(out, item);
}

inline std::string bytes_of(const Reply& reply) {
  ByteWriter out;
  write(out, reply);
  return out.take();
}

}  // namespace lockstep::sim
