// The protected resource of a live run: it answers READ and WRITE as docs/semantics.md says, and
// notices a lost update. Not synchronised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/model/model.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {
struct Reply;
}

namespace lockstep::live {

class Resource {
 public:
  explicit Resource(sim::Resource kind) : kind_(kind) {}

  /// What a WRITE is based on: the version that its task has read, if any.
  using Basis = std::optional<std::uint64_t>;

  /// Executes a READ or WRITE. An accepted READ sets `basis`. `lost` says whether an accepted WRITE
  /// overwrote what its task had not read.
  sim::Reply execute(const sim::Request& request, Basis& basis, bool& lost);

 private:
  sim::Resource kind_;
  std::int64_t highest_ = 0;   ///< fencing token seen
  std::uint64_t version_ = 0;  ///< grows with every accepted WRITE
};

}  // namespace lockstep::live
