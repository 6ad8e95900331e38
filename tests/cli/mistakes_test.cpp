// Every mistake under tests/data/mistakes/PROTOCOL/MISTAKE makes its protocol weaker, and
// `lockstep diff` must say so. The verdicts on the right protocol are stored once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("every known mistake is found by diff") {
  std::size_t mistakes = 0;
  for (const auto& of_protocol :
       folders_in(fs::path(LOCKSTEP_SOURCE_DIR) / "tests/data/mistakes")) {
    const auto protocol = of_protocol.filename().string();
    const auto stored = (scratch() / (protocol + ".matrix.json")).string();
    const auto matrix = run({"matrix", protocol, "--json"});
    std::ofstream(stored, std::ios::binary) << matrix.out;
    INFO(protocol << ": " << matrix.err);
    CHECK(run({"diff", "--baseline", stored, protocol}).code == 0);
    for (const auto& mistake : folders_in(of_protocol)) {
      const auto ran = run({"diff", "--baseline", stored, mistake.string()});
      INFO(mistake << "\n" << ran.out << ran.err);
      CHECK(ran.code == 1);
      ++mistakes;
    }
  }
  if (mistakes == 0) std::cerr << "SKIPPED: there is no mistake under tests/data/mistakes\n";
}

}  // namespace lockstep::tests
