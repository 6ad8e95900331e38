// Random commands on values of every type, with a liking for edge cases.
#pragma once

#include <string>
#include <vector>

#include "conform/dice.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::conform {

/// Templates of a family of commands. A word of one capital letter (or #, $, =) stands for a random
/// one: T L S Z X H keys that mostly hold a string, list, set, sorted set, sorted set of equal
/// scores, hash; K any key; @ a dump; the rest as the table of words in commands.cpp has them.
/// "!EXPIRE key" is a key that expires.
struct Family {
  const char* name;
  std::vector<const char*> templates;
  bool of_locks = false;  ///< compared with every server, not with Redis 7.0 only
};

/// Commands whose effects are the keyspace's alone.
extern const std::vector<Family> kFamilies;
/// Commands that belong to a connection: transactions, databases, subscriptions, blocking pops.
extern const std::vector<Family> kConnectionFamilies;

/// What is sent to a server.
struct Repertoire {
  std::vector<const Family*> families, connection_families;
  bool functions = true;  ///< FUNCTION and FCALL too

  const Family& any(Dice& dice) const { return *families[dice.below(families.size())]; }
  const Family& any_of_connections(Dice& dice) const {
    return *connection_families[dice.below(connection_families.size())];
  }
};

/// Everything for Redis 7.0, what locks send for another server.
Repertoire repertoire_for(sim::ServerVersion version);

sim::Request random_command(const Family& family, Dice& dice);

/// A random word for one of the letters of a template.
const char* random_word(char letter, Dice& dice);

/// A slip of the pen: a word too few, too many, twice, or another one.
void damage(sim::Request& request, Dice& dice);

}  // namespace lockstep::conform
