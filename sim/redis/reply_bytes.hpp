// Canonical bytes of what travels between a client and a node.
#pragma once

#include <string>

#include "sim/base/bytes.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Reply;

void write(ByteWriter& out, const Request& request);
void write(ByteWriter& out, const Reply& reply);
std::string bytes_of(const Reply& reply);

}  // namespace lockstep::sim
