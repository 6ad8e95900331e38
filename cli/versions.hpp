// The two sides of `lockstep diff`: versions of a protocol, in folders, in git, or as stored
// verdicts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/git.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/matrix.hpp"

namespace lockstep::cli {

struct Version {
  std::string name;              ///< as it was named on the command line
  std::filesystem::path folder;  ///< where its files are
  std::string title;
  std::shared_ptr<const sim::TemporaryFolder>
      taken_out;  ///< of a git revision; keeps `folder` alive

  /// `text` with the name of a git revision in place of the temporary folder, which nobody can see.
  std::string told(std::string text) const;
};

/// `target` is a shipped protocol, a folder, or a git revision of one ("HEAD~1:protocols/my-lock").
/// Throws BadInput, also if the protocol cannot be loaded.
Version version_of(const std::string& target, const scenarios::Catalog& catalog);

/// The verdicts in `file` that are on the protocol `name`: the only ones there, or those whose
/// protocol has its name or its folder's name. Throws BadInput with a near miss.
scenarios::Matrix stored_matrix(const std::filesystem::path& file, const std::string& name);

}  // namespace lockstep::cli
