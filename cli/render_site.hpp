// The first page of a folder of pages: every scenario, what came of it, and its run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"

namespace lockstep::cli {

/// What became of a scenario.
struct SiteEntry {
  std::string name, title, protocol;
  std::string verdict;  ///< "VIOLATED"; "BROKEN" where the file or its protocol is bad input
  std::string text;     ///< "mutual exclusion, after 9 steps, the fewest possible"; what is wrong
  std::string differs;  ///< what was expected, if something else came
  std::string link;     ///< to its page, from the first one; empty: it has none
  ExitCode code = kAsExpected;  ///< that this scenario calls for
};

/// A verdict of a matrix.
struct SiteCell {
  std::string text;       ///< "holds", "violated, 9 steps"
  std::string verdict{};  ///< "VIOLATED" or "HOLDS", for its colour
  std::string link{};     ///< to the page of its run, if it has one
};
/// A protocol's: a row for each condition, a column for each property.
struct SiteMatrix {
  std::string protocol, title;
  std::vector<std::string> properties;
  std::vector<std::pair<std::string, std::vector<SiteCell>>> rows;  ///< by condition
};

/// The whole page: a table for each protocol.
std::string site_index(const std::vector<SiteMatrix>& matrices);

/// The whole page: what is not as expected first, then a table for each protocol.
std::string site_index(const std::vector<SiteEntry>& entries);

}  // namespace lockstep::cli
