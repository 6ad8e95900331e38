// Canonical bytes of requests and replies; see the header.
#include "sim/redis/reply_bytes.hpp"

#include "sim/redis/reply.hpp"

namespace lockstep::sim {

void write(ByteWriter& out, const Request& request) {
  out.number(static_cast<std::int64_t>(request.size()));
  for (const auto& argument : request) out.text(argument);
}

void write(ByteWriter& out, const Reply& reply) {
  out.number(static_cast<int>(reply.kind));
  out.number(reply.integer);
  out.text(reply.text);
  out.number(static_cast<std::int64_t>(reply.items.size()));
  for (const auto& item : reply.items) write(out, item);
}

std::string bytes_of(const Reply& reply) {
  ByteWriter out;
  write(out, reply);
  return out.take();
}

}  // namespace lockstep::sim
