// Finds the shipped protocols and scenarios, and what a name or a path on the command line means.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockstep::scenarios {

class Catalog {
 public:
  /// `home` holds the folders `protocols`, `scenarios`, `templates` and `docs`.
  explicit Catalog(std::filesystem::path home) : home_(std::move(home)) {}

  /// The catalog of this installation: the folder that LOCKSTEP_HOME names, else the parent of the
  /// folder in which the executable lies, else share/lockstep in that (an installed one), else the
  /// source folder that it was built from. Throws
  /// BadInput if LOCKSTEP_HOME names no such folder.
  static Catalog find();

  /// The shipped protocols' names: first those of `protocols/ladder.txt` in its order, then the
  /// others by name.
  std::vector<std::string> protocols() const;
  /// The rungs of `protocols/ladder.txt` (one name a line, `#` begins a comment): the order in
  /// which an article climbs.
  std::vector<std::string> ladder() const;
  /// The shipped scenarios' names, in order.
  std::vector<std::string> scenarios() const;

  /// The folder of a protocol: a shipped name, or a path (relative to `base`). Throws BadInput with
  /// a near miss.
  std::filesystem::path protocol_folder(const std::string& name_or_path,
                                        const std::filesystem::path& base = {}) const;
  /// The file of a scenario: a shipped name, or a path.
  std::filesystem::path scenario_file(const std::string& name_or_path) const;

  /// The file of the guide, whose lessons `lockstep learn` walks through: in English ("en"), or in
  /// another language that it is there in.
  std::filesystem::path guide_file(const std::string& language) const {
    const auto docs = home_ / "docs";
    return (language == "en" ? docs : docs / language) / "guide.md";
  }

  /// What `lockstep new` writes.
  std::filesystem::path new_lock() const { return home_ / "templates" / "lock"; }

  /// A scenario by name or path; or, for a protocol's name or folder, the default scenario of that
  /// protocol.
  Scenario scenario(const std::string& name_or_path) const;
  Scenario read(const std::filesystem::path& scenario_file) const;

  /// How a file in `base` names the protocol in `folder`: its shipped name, or a path relative to
  /// `base`.
  std::string reference(const std::filesystem::path& folder,
                        const std::filesystem::path& base) const;

 private:
  std::filesystem::path home_;
};

/// How a file in the folder `base` ("": the current one) names `path`.
std::string relative_path(const std::filesystem::path& path, const std::filesystem::path& base);

}  // namespace lockstep::scenarios
