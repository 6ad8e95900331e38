// The sentences of `lockstep list`; see the header.
#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.hpp"

namespace lockstep::cli {

std::string described(sim::Fault fault) {
  using sim::Fault;
  switch (fault) {
    case Fault::pause:
      return "a client process stands still (a GC or VM pause) and resumes at any time; its sent "
             "requests go on";
    case Fault::delay:
      return "one request or reply is held back in the network while time passes";
    case Fault::lose:
      return "a connection breaks, before its request is executed or after it; the client cannot "
             "tell which";
    case Fault::crash:
      return "a client process dies; what it sent may still be executed; it may begin its next "
             "round anew";
    case Fault::jump:
      return "the wall clock of the node or of a client changes at once, by one of the jump sizes";
    case Fault::node_crash:
      return "the redis process dies; it restarts with what its persistence kept";
    case Fault::power_loss:
      return "the node's machine dies; aof-everysec may lose the writes of the last second";
  }
  sim::fail("a fault without a description", __FILE__, __LINE__);
}

std::string described(sim::Property property) {
  using sim::Property;
  switch (property) {
    case Property::mutual_exclusion:
      return "two clients are in the critical section of one lock at once";
    case Property::no_lost_update:
      return "the resource accepts the write of a holder although another changed what it had read";
    case Property::foreign_release:
      return "a client removes, overwrites or shortens the lease of another that believes in it";
    case Property::foreign_extend:
      return "a client extends the lease of another that believes in it";
    case Property::honest_result:
      return "release() says true though nothing of its own was released, or false though its key "
             "is removed, or acquire() false though it holds the key";
    case Property::reentrancy:
      return "a client has entered more often than it has left, and no longer holds its key; or "
             "has "
             "left for good, and still does";
    case Property::deadlock:
      return "all is quiet, yet a fresh client that keeps trying can never acquire; or a waiting "
             "one never can";
    case Property::leak:
      return "all clients are done or dead, and a lease key without expiry, or a task, stays for "
             "ever";
  }
  sim::fail("a property without a description", __FILE__, __LINE__);
}

std::string described(sim::Witness witness) {
  using sim::Witness;
  switch (witness) {
    case Witness::acquired:
      return "every client acquires in some run";
    case Witness::refused:
      return "some client is refused in some run";
    case Witness::released:
      return "some release() says true in some run";
    case Witness::lost:
      return "some client is told that it has lost the lock in some run";
    case Witness::expired_while_held:
      return "some lease ends while its maker holds the lock in some run";
  }
  sim::fail("a witness without a description", __FILE__, __LINE__);
}

std::string spoken(sim::Property property) {
  std::string words = name(property);
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

std::string counted(sim::Fault fault, int count) {
  using sim::Fault;
  switch (fault) {
    case Fault::pause:
      return fmt::format("{} pause{}", count, count == 1 ? "" : "s");
    case Fault::delay:
      return fmt::format("{} delayed message{}", count, count == 1 ? "" : "s");
    case Fault::lose:
      return fmt::format("{} broken connection{}", count, count == 1 ? "" : "s");
    case Fault::crash:
      return fmt::format("{} client crash{}", count, count == 1 ? "" : "es");
    case Fault::jump:
      return fmt::format("{} clock jump{}", count, count == 1 ? "" : "s");
    case Fault::node_crash:
      return fmt::format("{} node crash{}", count, count == 1 ? "" : "es");
    case Fault::power_loss:
      return fmt::format("{} power loss{}", count, count == 1 ? "" : "es");
  }
  sim::fail("a fault without a name", __FILE__, __LINE__);
}

std::string grouped(std::uint64_t number) {
  auto digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string plural(std::uint64_t number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace lockstep::cli
