// What a node remembers, as bytes; see the header.
#include "sim/world/node.hpp"

#include "sim/base/bytes.hpp"

namespace lockstep::sim {

void Unnoticed::add(std::uint8_t replica, std::int64_t ms) {
  servers |= only<NodeSet>(replica);
  left_ms.at(replica) = ms;
}

void Unnoticed::remove(NodeSet replicas) {
  for (unsigned n = 0; (servers & replicas) != 0 && n < kMaxNodes; ++n) {
    if (!has(replicas, n)) continue;
    servers = without(servers, static_cast<std::uint8_t>(n));
    left_ms.at(n) = 0;
  }
}

NodeSet Unnoticed::age(std::int64_t ms) {
  NodeSet over = 0;
  for (unsigned n = 0; servers != 0 && n < kMaxNodes; ++n) {
    if (!has(servers, n)) continue;
    left_ms.at(n) -= ms;
    if (left_ms.at(n) <= 0) over |= only<NodeSet>(n);
  }
  remove(over);
  return over;
}

std::string encode(const Node& node) {
  ByteWriter out;
  out.number(node.up ? 1 : 0);
  out.number(node.keyspace);
  out.number(node.rate);
  out.number(node.clock_offset_ms);
  out.number(node.down_left_ms);
  out.number(node.micros);
  out.number(node.follows);
  out.number(node.newest);
  out.number((node.lags ? 1 : 0) + (node.misses ? 2 : 0) + (node.full ? 4 : 0) +
             (node.dark ? 8 : 0) + (node.syncing ? 16 : 0) + (node.frozen ? 32 : 0) +
             (node.few ? 64 : 0) + (node.silent ? 128 : 0) + (node.loading ? 256 : 0) +
             (node.receives ? 512 : 0));
  out.number(static_cast<int>(node.slots));
  for (const Unnoticed* gone : {&node.counts_gone, &node.lists}) {
    out.number(gone->servers);
    if (gone->servers != 0)
      for (const std::int64_t left_ms : gone->left_ms) out.number(left_ms);
  }
  out.number(node.lists_behind);
  out.number(node.gone_dark);
  out.number(static_cast<std::int64_t>(node.queue.size()));
  for (const std::uint8_t whose : node.queue) out.number(whose);
  out.number(static_cast<std::int64_t>(node.came.size()));
  for (const Place& place : node.came) {
    out.number(place.database);
    out.text(place.key);
  }
  for (const auto& image : node.images) {
    out.number(image.keyspace);
    out.number(image.age_ms);
  }
  return out.take();
}

}  // namespace lockstep::sim
