// What redis-cli --cluster reshard does; see the header.
#include "live/migration.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "live/stream.hpp"
#include "sim/client/servers.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr const char* kLongestMoveMs = "5000";

}  // namespace

Migration::Migration(Nodes& nodes, std::set<unsigned> slots)
    : nodes_(nodes), slots_(std::move(slots)) {
  for (std::uint8_t node = 0; node < ids_.size(); ++node)
    ids_.at(node) = nodes_.connection(node).execute({"CLUSTER", "MYID"}).text;
  order(nodes_.connection(0), {"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  const Address& other = nodes_.address(1);
  order(nodes_.connection(0), {"CLUSTER", "MEET", other.host, std::to_string(other.port)});
  await_done([&] { return serves(0) && serves(1); }, "two redis-servers are no cluster");
}

/// Whether it knows both nodes, and serves all slots.
bool Migration::serves(std::uint8_t node) {
  const auto known = nodes_.connection(node).execute({"CLUSTER", "NODES"}).text;
  const auto state = nodes_.connection(node).execute({"CLUSTER", "INFO"}).text;
  const auto knows = [&](const std::string& word) { return known.find(word) != known.npos; };
  return std::ranges::all_of(ids_, knows) && knows("0-16383") &&
         state.starts_with("cluster_state:ok");
}

/// Who has which slots, and since which epoch, as a node has heard of it.
std::set<std::string> Migration::view_of(std::uint8_t node) {
  constexpr std::size_t kEpoch = 6, kSlots = 8;
  std::set<std::string> view;
  std::istringstream lines(nodes_.connection(node).execute({"CLUSTER", "NODES"}).text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    const std::vector<std::string> all(std::istream_iterator<std::string>(words), {});
    std::string known = all.at(0) + " " + all.at(kEpoch);
    for (std::size_t i = kSlots; i < all.size(); ++i) known += " " + all[i];
    view.insert(known);
  }
  return view;
}

void Migration::set_slots(std::uint8_t node, const std::string& how, std::uint8_t other) {
  for (const unsigned slot : slots_)
    order(nodes_.connection(node),
          {"CLUSTER", "SETSLOT", std::to_string(slot), how, ids_.at(other)});
}

/// What the cluster still has to tell of the last one could take away a slot that migrates again.
void Migration::begin(std::uint8_t source) {
  const auto target = sim::other_of_two(source);
  await_done([&] { return view_of(0) == view_of(1); }, "two redis-servers do not agree on slots");
  set_slots(target, "IMPORTING", source);
  set_slots(source, "MIGRATING", target);
}

std::string Migration::move_key(std::uint8_t source, const std::string& key) {
  const Address& target = nodes_.address(sim::other_of_two(source));
  return nodes_.connection(source)
      .execute({"MIGRATE", target.host, std::to_string(target.port), key, "0", kLongestMoveMs})
      .text;
}

void Migration::hand_over(std::uint8_t source) {
  const auto target = sim::other_of_two(source);
  set_slots(target, "NODE", target);
  set_slots(source, "NODE", target);
  owner_ = target;
}

}  // namespace lockstep::live
