// Whether something hangs on the bytes of lock tokens, not only on which of them are equal: the
// same step, or the same request, with tokens that are spelt otherwise (docs/semantics.md,
// section 1). Nothing is guessed from the text of the program or a script.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sim/base/spelling.hpp"
#include "sim/client/node_clocks.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class TokenBytes {
 public:
  using Respell = std::function<std::string(std::string_view)>;

  TokenBytes(const Program& program, ServerVersion version)
      : program_(program), scripts_({}, version, true) {}

  /// Of a request that came to this.
  bool decide(const Met& met, const Reply& reply, const Keyspace& after);
  /// Of a request that asked which of several tokens comes first: whether it comes to something
  /// else in some order of them, or there are too many to try them all.
  bool decide_by_order(const Met& met, const Reply& reply, const Keyspace& after);
  /// Of the step that comes of the last observation of `path`.
  bool decide(const ProcessSetup& setup, const std::string& snapshot,
              std::span<const Observation> path, const Step& step);
  /// Of all that was looked at, with the spellings that it was not tried with.
  bool decide_in_the_end();

 private:
  static constexpr std::size_t kMostLater = 2000;  ///< each with what it met
  static constexpr std::size_t kMostInOrder = 4;   ///< 24 orders
  /// Whether something differs if tokens are spelt so; nothing: there are none.
  using Tried = std::function<std::optional<bool>(unsigned which)>;

  std::optional<bool> differs(const Met& met, const Reply& reply, const Keyspace& after,
                              Spelling spelling);
  std::optional<bool> differs(const ProcessSetup& setup, const std::string& snapshot,
                              std::span<const Observation> path, const Step& step,
                              unsigned which) const;
  /// Of the spellings from `from` on, before `to`.
  static std::optional<bool> differs_in_any(unsigned from, unsigned to, const Tried& differs);
  struct Spelt {
    Keyspace keyspace;
    Session session;
    Request request;
    std::optional<Place> served;
  };
  static Spelt respelt(const Met& met, const Respell& spell);
  Reply executed(Spelt& spelt, const Met& met, std::vector<Compared>* compared);
  std::string way_of(const Met& met);
  /// Whether a number that is compared is another one where tokens are spelt otherwise: it is
  /// worked out from their bytes, and decides as it likes of a token that was not tried.
  bool numbers_differ(const Met& met);
  bool numbers_differ(const ProcessSetup& setup, const std::string& snapshot,
                      std::span<const Observation> path) const;
  /// Of its form, which is what is alike if tokens have other names and numbers another size, as
  /// long as it goes the same way: it is tried with more spellings, and kept for the end.
  bool is_first(const std::string& bytes);

  const Program& program_;
  ScriptVm scripts_;
  std::unordered_set<std::string> known_;  ///< forms; never iterated
  std::vector<Tried> later_;
};

}  // namespace lockstep::sim
