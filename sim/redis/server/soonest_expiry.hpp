// When the first key of a server's keyspace may expire, so that commands that only read do not have
// to visit all keys to find that none has.
#pragma once

#include <optional>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

class SoonestExpiry {
 public:
  /// Drops every key that is expired at `now`, as Keyspace::purge. Visits the keys if one of them
  /// may be, or if that is not known.
  void purge(Keyspace& keyspace, WallTime now, bool told);
  /// Keys may have been given an expiry since: to be called after everything that is not sure to
  /// have only read.
  void forget() { none_before_.reset(); }

 private:
  std::optional<WallTime> none_before_;  ///< no key expires sooner; nothing: that is not known
};

}  // namespace lockstep::sim
