// Whether something hangs on the bytes of lock tokens, not only on which of them are equal: the
// same step, or the same request, with tokens that are spelt otherwise (docs/semantics.md,
// section 1). Nothing is guessed from the text of the program or a script.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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

  /// When all spellings are tried: most of them in the end, of a search that holds.
  enum class Tries : std::uint8_t { in_the_end, at_once };
  static Tries tries(bool at_once) { return at_once ? Tries::at_once : Tries::in_the_end; }

  /// Of a request that came to this.
  bool decide(const Met& met, const Reply& reply, const Keyspace& after,
              Tries tries = Tries::in_the_end);
  /// Of a request that asked which of several tokens comes first: whether it comes to something
  /// else in some order of them, or there are too many to try them all.
  bool decide_by_order(const Met& met, const Reply& reply, const Keyspace& after);
  /// Of the step that comes of the last observation of `path`.
  bool decide(const ProcessSetup& setup, const std::string& snapshot,
              std::span<const Observation> path, const Step& step, Tries tries = Tries::in_the_end);
  /// Of all that was looked at, with the spellings that it was not tried with.
  bool decide_in_the_end();

 private:
  static constexpr std::size_t kMostLater = 10'000;  ///< each with what it met
  static constexpr unsigned kMostOfOneWay = 200, kSamples = 3;
  static constexpr std::size_t kMostInOrder = 4;  ///< 24 orders
  /// Whether something differs if tokens are spelt so; nothing: there are none.
  using Tried = std::function<std::optional<bool>(unsigned which)>;

  /// In the end it counts, too, if Redis might have answered otherwise with tokens that are no
  /// longer than most are. At once it does not count what APPEND and SETRANGE make of a token: it
  /// is not known whether somebody looks at that.
  std::optional<bool> differs(const Met& met, const Reply& reply, const Keyspace& after,
                              Spelling spelling, Tries tries);
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
  Reply executed(Spelt& spelt, const Met& met, std::vector<Compared>* compared,
                 bool* left_open = nullptr);
  std::string way_of(const Met& met);
  /// Whether a number that is compared is another one where tokens are spelt otherwise: it is
  /// worked out from their bytes, and decides as it likes of a token that was not tried.
  bool numbers_differ(const Met& met);
  bool numbers_differ(const ProcessSetup& setup, const std::string& snapshot,
                      std::span<const Observation> path) const;
  /// What is alike if tokens have other names and numbers another size, as long as it goes the same
  /// way.
  static std::string form_of(const std::string& bytes);
  /// Of a form, whose first one is tried with more spellings. `way`: what it does, of which some
  /// are tried with all that look like a UUID, and a few with tokens of each length;
  /// `numbers_differ`: as below; `for_the_end`: what is kept to be tried with the rest of them.
  bool decide(const std::string& form, const std::string& way, Tries tries, const Tried& tried,
              const std::function<bool()>& numbers_differ,
              const std::function<Tried()>& for_the_end);

  const Program& program_;
  ScriptVm scripts_;
  std::unordered_set<std::string> known_;          ///< forms; never iterated
  std::unordered_map<std::string, bool> at_once_;  ///< forms tried so; never iterated
  struct Later {
    Tried tried;
    unsigned spellings;
  };
  std::vector<Later> later_;
  std::unordered_map<std::string, unsigned> of_way_;  ///< kept of each; never iterated
  bool too_many_ = false;                             ///< not all are kept that have to be
};

}  // namespace lockstep::sim
