// The mistakes that one could make in the shipped protocols, tests/data/mistakes/PROTOCOL.mistakes:
// each a title, the check that sees it, and a unified diff against protocols/PROTOCOL, which is
// applied in a folder of the test's own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::test {

struct Mistake {
  std::string protocol;
  std::string name;  ///< short, its folder's name once it is applied
  std::string what;  ///< a sentence: what is wrong
  /// The flags of the `lockstep check` that judges it worse than the protocol; or "the matrix": a
  /// condition of `lockstep matrix` does.
  std::string seen_by;
  std::vector<std::string> diff;  ///< its lines, with their newlines
  std::size_t line = 0;           ///< where the diff begins in its file, 1-based
};

/// The mistakes in the text of a .mistakes file; throws std::runtime_error that names a line which
/// is none.
std::vector<Mistake> read_mistakes(const std::string& protocol, const std::string& text);

/// Those of a shipped protocol, none if it has no file; those of all, sorted by protocol.
std::vector<Mistake> mistakes_of(const std::string& protocol);
std::vector<Mistake> all_mistakes();

/// Copies `protocols`/PROTOCOL to `folder`/PROTOCOL/NAME, makes the mistake there and returns that
/// folder. A hunk goes where its old lines stand, nearest to the line that it names; a file that
/// becomes empty is gone. Throws std::runtime_error with protocol, mistake and line if the protocol
/// does not have those lines.
std::filesystem::path apply(const Mistake& mistake, const std::filesystem::path& folder,
                            const std::filesystem::path& protocols =
                                std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "protocols");

}  // namespace lockstep::test
