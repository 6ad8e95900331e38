// What the functions of commands work on: one call of one command, and how it is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/keyspace/refused.hpp"
#include "sim/redis/commands/table.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/keyspace_events.hpp"

namespace lockstep::sim {

struct Entry;
class ScriptVm;

[[noreturn]] void refuse_syntax();
[[noreturn]] void refuse_arity(std::string_view command);

/// The name of a value's type, as TYPE gives it.
std::string type_name(const Entry& entry);

/// One execution of one command: what its function works on.
struct Call {
  Keyspace& keyspace;
  const Request& argv;
  Execution& execution;
  bool signalled = false;  ///< out: the command has touched its key, be that as it was: ZADD may
                           ///< give a member another score and then its old one again

  /// The live entry of `key`, or null; an expired one is removed first, as Redis does on access.
  Entry* find(const std::string& key);
  /// The same for a command that only reads there: it tells of a key that it misses (Redis 7.0 db.c
  /// lookupKeyRead).
  Entry* read(const std::string& key);
  // What needs to know how entries look is defined in entries.hpp.
  /// The same; throws Refused (WRONGTYPE) for one of another type than `Type`: std::string, Hash,
  /// List, Set or SortedSet.
  template <class Type>
  Entry* entry_at(const std::string& key);
  /// The same; made by the sender if there is none: empty, for a command that fills it.
  template <class Type>
  Entry& entry_at_or_new(const std::string& key);
  /// The value at `key`, or null if there is no such key. Throws Refused (WRONGTYPE) as well.
  template <class Type>
  Type* at(const std::string& key);
  /// The same two, by read().
  template <class Type>
  Entry* read_entry(const std::string& key);
  template <class Type>
  Type* read(const std::string& key);
  /// The same, made by the sender if there is none.
  template <class Type>
  Type& at_or_new(const std::string& key);
  std::string* string_at(const std::string& key);
  /// Whether what `maker` has set stays its own when the sender sets the same text. What bears a
  /// lock token does: it was never the sender's.
  bool stays(Maker maker, std::string_view text);
  /// Overwrites `key` as SET does: no expiry, made by the sender.
  Entry& set(const std::string& key, std::string value);
  /// Overwrites `key` with a value of any type: no expiry, made by the sender.
  template <class Type>
  Entry& put(const std::string& key, Type value);
  /// Nobody is told.
  void erase(const std::string& key);
  /// Erases a key that is there, and tells that it is deleted.
  void remove(const std::string& key);
  /// Erases a key that has not been looked for, and tells so: Redis sees one that is expired, and
  /// that nothing has met yet, as still there (db.c dbDelete).
  void remove_unseen(const std::string& key);
  /// Something has happened to the key, of the selected database if no other is named: tells who
  /// listens to keyspace events, if the server publishes those of this class (Redis 7.0 notify.c
  /// notifyKeyspaceEvent).
  void notify(KeyspaceEvents of_class, std::string_view event, const std::string& key,
              std::optional<int> database = std::nullopt);
  /// Tells of a key that had expired and is met now, if that is not known yet.
  void notice(const std::string& key);
  /// Nobody is told of it any more; whether somebody would have been.
  bool forget(const std::string& key);
  /// What the clock shows that is read for a lifetime, or what is left of one.
  WallTime clock();
  /// The same for TIME.
  WallTime told_clock();
  /// Whether this instant is over, as the clock was last read.
  bool is_over(WallTime when) const;
  /// Tells whoever looks for it that the two numbers are compared.
  void compare(double left, double right);
  /// What runs scripts and functions.
  ScriptVm& scripts() const;
};

/// A script of a transaction reads the clock when it begins, and keys are there or not for it by
/// that (Redis 7.0 `scriptPrepareForRun`).
WallTime began(Execution& execution);

/// Runs the command or subcommand that the call names, and whose arity fits. Throws BadInput for
/// one that is not simulated yet.
Reply run_command(const Command& command, Call& call);

/// Error replies are one line: Redis puts blanks in place of line breaks (networking.c).
std::string one_line(std::string text);
/// ASCII lower case, as Redis compares names and options.
std::string lower_case(std::string_view text);
/// ASCII upper case.
std::string upper_case(std::string_view text);
/// Whether `text` is `word` (given in lower case), in any case: a name that Redis looks up.
bool is_name(std::string_view text, std::string_view word);
/// The same of an option, which Redis compares as C does: up to a zero byte.
bool is_word(std::string_view text, std::string_view word);

}  // namespace lockstep::sim
