// What rests on which part of a protocol, for people and for machines.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "scenarios/matrix.hpp"
#include "scenarios/mechanisms.hpp"

namespace lockstep::cli {

/// A mechanism, and what came of taking it away.
struct Taken {
  scenarios::Mechanism mechanism;
  /// What breaks under the first condition under which anything does, fewest steps first; nothing:
  /// no verdict got worse.
  std::vector<scenarios::Finding> broken;
  bool needed_alone = false;  ///< without it not even a lone client gets its lock and gives it back
  std::string refused;        ///< why what is left was not judged to the end; else empty
};

/// Those that something rests on first, each by its place in the text.
std::vector<Taken> in_order_of_need(std::vector<Taken> all);

/// "release.lua:1  redis.call("get",KEYS[1]) == ARGV[1]: always true".
std::string in_one_line(const Taken& taken);

/// `title` names the protocol.
void print_why(std::ostream& out, const std::string& title, const std::vector<Taken>& rows,
               bool colours);
std::string why_report(const std::string& protocol, const std::vector<Taken>& rows);

}  // namespace lockstep::cli
