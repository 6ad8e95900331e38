// Whose a text is that several write, and a number that several count in (docs/semantics.md,
// section 1, "Parts").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::sim {

/// `sender` has added `by` (nothing: no whole number) to a number that was `before` ("": new, and
/// then made by the sender) and is `after`. A number that its own maker counts in is nobody's from
/// then on: a 1 that it counts up from (or a -1, down) was its share, any other number was set for
/// all to count in. A time is no number that is counted in: it is written over.
void count_in(Maker& maker, Shares& shares, Maker sender, const std::string& before,
              const std::string& after, std::optional<std::int64_t> by);

/// Whether a name has a lock token in it: one of the explored world, or of a live run, whose tokens
/// are 32 hexadecimal digits.
bool bears_token(const std::string& name);

/// Who may have set what was set before.
struct Rewriter {
  Maker sender = 0;
  Makers idle = 0;       ///< whose it is no more then
  bool rewrote = false;  ///< out: it has set again what another process had set
};

/// Keys that have the value and the expiry that they had before are whose they were: what a script
/// or a transaction changes and puts back, nobody else can tell from what it leaves alone. So are
/// strings, fields, members and elements that bear a lock token, whatever else has become of the
/// key. But what bears none, and the sender has set again, is no longer an idle process's.
void keep_what_is_as_before(const Keyspace& before, Keyspace& after, Rewriter& by);

/// Who has written, and how.
struct WrittenBy {
  Maker sender = 0;
  bool counts = false;  ///< a script or a transaction: n + 1 over n counts, as INCR does
  TokensIn tokens_in = simulated_tokens;
};

/// Of a lock that several may hold: a text that names its owners by their tokens (a list of the
/// holders) stays that of each of whom a token was left in it. And n + 1 or n - 1 that is written
/// over n counts.
void keep_owners(const Entry* before, Entry& after, const WrittenBy& by);

/// The same for all keys of which `is_lease(key)`.
template <class IsLease>
void keep_owners(const Keyspace& before, Keyspace& after, const WrittenBy& by, IsLease is_lease) {
  for_each_with_before(before, after, [&](const std::string& key, const Entry* was, Entry& entry) {
    if (is_lease(key)) keep_owners(was, entry, by);
  });
}

/// Whether the tokens of several processes stand in a string, in a field (its name and value), in
/// an element or in a member: of a lock that one may hold, no text tells whose it is then.
bool names_several(const VisibleValue& value, const TokensIn& tokens_in = simulated_tokens);

/// Who may hand something over, and to whom that is no use.
struct HandedBy {
  Maker sender = 0;
  Makers gone = 0;       ///< whose tokens may be those of a former incarnation
  Maker late = kNobody;  ///< the sender, if it has crashed since
  TokensIn tokens_in = simulated_tokens;
};

/// What a request has put there or written over, in which lock tokens of one other process stand
/// and none of its sender's, is that one's; or nobody's if that is `gone`. Returns those.
Makers hand_over(const Entry* before, Entry& after, const HandedBy& by);

/// The same for all keys of which `is_lease(key)`.
template <class IsLease>
Makers hand_over(const Keyspace& before, Keyspace& after, const HandedBy& by, IsLease is_lease) {
  Makers to_gone = 0;
  for_each_with_before(before, after, [&](const std::string& key, const Entry* was, Entry& entry) {
    if (is_lease(key)) to_gone |= hand_over(was, entry, by);
  });
  return to_gone;
}

}  // namespace lockstep::sim
