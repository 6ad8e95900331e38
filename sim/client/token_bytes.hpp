// Whether something hangs on the bytes of lock tokens, not only on which of them are equal: the
// same step, or the same request, with tokens that are spelt otherwise (docs/semantics.md,
// section 1). Nothing is guessed from the text of the program or a script.
#pragma once

#include <span>
#include <string>

#include "sim/client/node_clocks.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class TokenBytes {
 public:
  TokenBytes(const Program& program, ServerVersion version)
      : program_(program), scripts_({}, version, true) {}

  /// Of a request that came to this.
  bool decide(const Met& met, const Reply& reply, const Keyspace& after);
  /// Of the step that comes of the last observation of `path`.
  bool decide(const ProcessSetup& setup, const std::string& snapshot,
              std::span<const Observation> path, const Step& step) const;

 private:
  const Program& program_;
  ScriptVm scripts_;
};

}  // namespace lockstep::sim
