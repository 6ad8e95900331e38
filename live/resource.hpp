// The protected resources of a live run, one for each lock: they answer READ and WRITE as
// docs/semantics.md says, and notice a lost update. Not synchronised.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/model/model.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

class Resource {
 public:
  explicit Resource(sim::Resource kind) : kind_(kind) {}

  /// What a WRITE is based on: the versions that its task has read, if any.
  using Basis = std::map<std::string, std::uint64_t>;  ///< by lock

  /// Executes a READ or WRITE. An accepted READ sets `basis`. `lost` says whether an accepted WRITE
  /// overwrote what its task had not read.
  sim::SharedReply execute(const sim::Request& request, Basis& basis, bool& lost);

 private:
  sim::Resource kind_;
  std::map<std::string, std::int64_t> highest_;   ///< fencing token seen, by lock
  std::map<std::string, std::uint64_t> version_;  ///< by lock: grows with every accepted WRITE
};

}  // namespace lockstep::live
