// When two replies to one command count as equal though their bytes differ: Redis's order of a hash
// table depends on a random seed, and some commands choose at random.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {
struct Keyspace;
struct Reply;
struct Session;
}  // namespace lockstep::sim

namespace lockstep::conform {

/// Whether what a request names is there and has one of these traits (sim::CommandTrait).
bool has_trait(const sim::Request& request, std::uint32_t traits);

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names);

/// How a reply of the real server may differ from the simulated one's.
struct Likeness {
  bool chance = false;     ///< the effects too are a matter of chance: not to be compared at all
  bool any = false;        ///< only whether it is an error counts
  bool random = false;     ///< the texts are a random choice
  bool unordered = false;  ///< the order of the items is
  bool large = false;      ///< so it is if they are too many for a set of integers
  bool timed = false;      ///< numbers follow the clock
  bool seconds = false;    ///< and are rounded to seconds
  bool clashes = false;    ///< of several names that are taken an error may tell another one
  bool dump = false;       ///< dumps of one value count as equal
  bool nans = false;       ///< which sign an operation of two NaNs gives is the compiler's choice
  std::vector<Likeness> parts;  ///< of an EXEC, for each reply in it
};

/// What Redis itself leaves open in the reply to `request`, if it is sent in `session` when the
/// server holds `keyspace`: nothing more may differ where the two servers go step by step.
/// `chance`: the answer depends on the random levels of a skiplist or on an unstable sort.
Likeness left_open(const sim::Request& request, const sim::Session& session,
                   const sim::Keyspace& keyspace);

/// And what else cannot be told where requests are sent in batches, to a clock that goes on and to
/// scripts that nobody has read. The simulated server's clock shows `now`.
Likeness likeness_of(const sim::Request& request, const sim::Session& session,
                     const sim::Keyspace& keyspace, sim::WallTime now);

/// Whether a lifetime that counts from now is to be compared with the one that a key has.
bool compares_lifetimes(const sim::Request& request);

/// Whether the two replies count as equal. The clocks of the two servers were at most `slack_ms`
/// apart.
bool alike(const Likeness& likeness, const sim::Reply& redis, const sim::Reply& lockstep,
           std::int64_t slack_ms);

/// Whether the reply is a random choice.
bool is_random(const sim::Request& request);

/// The reply with the items of every array in one order.
sim::Reply in_one_order(sim::Reply reply);

/// The text with "nan" for every "-nan": which sign an operation of two NaNs gives depends on how a
/// compiler ordered their registers.
std::string without_nan_signs(std::string text);

}  // namespace lockstep::conform
