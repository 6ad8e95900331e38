// What a command is: one row says all that is said of it. A command and its subcommands stand in
// the file of their family, behind the functions that run them (families.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

struct Call;
struct Reply;

/// Flags that COMMAND shows, in Redis's order of them.
enum CommandFlag : std::uint32_t {
  kWrite = 1U << 0U,
  kReadOnly = 1U << 1U,
  kDenyOom = 1U << 2U,
  kAdmin = 1U << 3U,
  kPubsub = 1U << 4U,
  kNoScript = 1U << 5U,
  kBlocking = 1U << 6U,
  kLoading = 1U << 7U,
  kStale = 1U << 8U,
  kSkipMonitor = 1U << 9U,
  kSkipSlowlog = 1U << 10U,
  kAsking = 1U << 11U,
  kFast = 1U << 12U,
  kNoAuth = 1U << 13U,
  kNoMandatoryKeys = 1U << 14U,
  kNoAsyncLoading = 1U << 15U,
  kNoMulti = 1U << 16U,    ///< refused inside a transaction
  kAllowBusy = 1U << 17U,  ///< also answered while a script runs that does not end
};

/// KeySpec::last of "the argument at `first` says how many keys follow it" (Redis: keynum).
constexpr int kCounted = std::numeric_limits<int>::max();

/// Where some of the keys of a command are, and what it does with them (Redis's key
/// specifications).
struct KeySpec {
  std::string_view flags;         ///< words, in Redis's order; empty: no specification
  int first = 0;                  ///< position of the first key; 0: nobody knows. With a keyword
                                  ///< the position from which it is sought, negative: from the end
  int last = 0;                   ///< of the last one, from the first; negative: from the end
  int step = 1;                   ///< from one to the next
  std::string_view keyword = {};  ///< the keys follow this word
};

/// What a redis-server 7.0.15 (Debian) answers to COMMAND: tools/describe_commands.py writes this
/// part of a row.
struct CommandInfo {
  std::string_view name;             ///< lower case; of a subcommand "config|get"
  int arity;                         ///< arguments with the name; -n: at least n
  std::uint32_t flags = 0;           ///< CommandFlag
  std::string_view categories = {};  ///< of ACLs, words: those that do not follow from the flags
  KeySpec key_specs[3] = {};         ///< those without flags are none
  std::string_view tips = {};        ///< words

  std::span<const KeySpec> keys() const;
};

/// What else a command may be.
enum CommandTrait : std::uint32_t {
  kContainer = 1U << 0U,         ///< its second word names a subcommand: the rows that follow
  kMayReplicate = 1U << 1U,      ///< no write, but refused in read-only scripts (PUBLISH)
  kSince72InScripts = 1U << 2U,  ///< a script may call it from 7.2 on; it does not wait then
  kNoResp3 = 1U << 3U,       ///< what a script gets from it after redis.setresp(3) is not simulated
  kMultiplies = 1U << 4U,    ///< its values may be longer than the request that makes them
  kRunsScript = 1U << 5U,    ///< EVAL, FCALL and their like
  kRunsFunction = 1U << 6U,  ///< FCALL and its like
  kNeverQueued = 1U << 7U,   ///< runs at once although a transaction is being queued
  kEndsTransaction = 1U << 8U,  ///< still works for a transaction without memory
  kWhileSubscribed = 1U << 9U,  ///< who subscribes to something may send it (RESP2)
  kSwapsDatabases = 1U << 10U,  ///< touches every key of the databases that arguments 1 and 2 name
  // What its whole answer depends on, always; where only a form of it does, its function reports it
  // (Execution).
  kLooksAtTime = 1U << 11U,
  kLooksAtClock = 1U << 12U,
  kLooksAtBytes = 1U << 13U,
  // What Redis leaves open, so that two servers may differ.
  kByChance = 1U << 14U,        ///< which elements its reply names
  kUnordered = 1U << 15U,       ///< their order, for some values
  kRunsQueue = 1U << 16U,       ///< EXEC: what it does is what has been queued
  kNamesScript = 1U << 17U,     ///< of those that run a script: argument 1 is its SHA1
  kSetsConnection = 1U << 18U,  ///< what later requests of its connection mean hangs on it
  kGivesLifetime = 1U << 19U,   ///< a number of it may be how long a key is to live
  kLooksAtUsage = 1U << 20U,    ///< its answer hangs on when a key was last used, which is not kept
};

/// What a command's reply is in RESP3, which has more types than RESP2.
enum class Resp3Type : std::uint8_t {
  same,          ///< but null is nil
  map,           ///< of a flat array: key, value, ...
  set,           ///< of an array
  number,        ///< of a text: a double
  numbers,       ///< an array of them
  pairs,         ///< of a flat array: arrays of two
  scored,        ///< the same; the second one is a double
  one_scored,    ///< one such pair
  named_scored,  ///< a name, and an array of such pairs
};

/// When a reply has which type.
struct Resp3 {
  Resp3Type type = Resp3Type::same;   ///< if there is an argument from position `from` on,
  std::size_t from = 0;               ///< and if a word is said,
  std::string_view word = {};         ///< if one of these arguments is that word
  Resp3Type other = Resp3Type::same;  ///< otherwise
};

/// An argument that is a key.
struct KeyArgument {
  std::size_t position;
  std::string_view flags;  ///< as KeySpec's; empty where Redis does not say them
};
using KeyArguments = std::vector<KeyArgument>;

/// Whether a command touched a key that it may write, so that watches of it break although it stays
/// as it is. Asked for replies that are no errors. `was_there`: whether the key existed before.
using Touches = bool (*)(const Request&, const Reply&, bool was_there);
bool touches_always(const Request&, const Reply&, bool was_there);
bool touches_if_there(const Request&, const Reply&, bool was_there);
bool touches_if_positive(const Request&, const Reply&, bool was_there);  ///< the reply: a number
bool touches_if_not_null(const Request&, const Reply&, bool was_there);

/// What lockstep has to know beyond COMMAND, of the few commands that differ from the rest.
struct Particulars {
  std::uint32_t traits = 0;                             ///< CommandTrait
  Touches touches = nullptr;                            ///< null: never
  KeyArguments (*find_keys)(const Request&) = nullptr;  ///< where no rule says which are keys
  Resp3 resp3 = {};
  ServerSet servers = kEveryServer;  ///< those that have the command
};

/// One row.
struct Command : CommandInfo {
  Reply (*run)(Call&) = nullptr;  ///< null: Redis has it, lockstep does not simulate it yet
  Particulars more = {};

  bool is(std::uint32_t flag) const { return (flags & flag) != 0; }
  bool has(std::uint32_t trait) const { return (more.traits & trait) != 0; }
  /// Of the categories that do not follow from the flags.
  bool is_of(std::string_view category) const;
};

/// Every row but those of subcommands, in order of name, of all servers.
std::span<const Command* const> all_commands();

/// The row of `name` in any case, or null if no server has such a command.
const Command* find_command(std::string_view name);

/// What a request names: a subcommand where its command has such and a second word follows. Null if
/// there is no such command, or no such subcommand.
const Command* find_command(const Request& request);

/// The same of one server's commands.
const Command* find_command(const Request& request, ServerVersion version);

/// The subcommands of a command, in order of name; none of one without.
std::span<const Command> subcommands_of(const Command& container);

/// The row of a subcommand, its name without the container's, in any case; null if there is none.
const Command* find_subcommand(const Command& container, std::string_view name);

/// Whether a request of so many arguments has the arity of a row.
bool arity_fits(int arity, std::size_t arguments);

}  // namespace lockstep::sim
