// The two sides of `lockstep diff`: versions of a protocol, in folders, in git, or as stored
// verdicts.
#pragma once

#include <cstdint>
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

/// Which of two versions are there.
enum class Presence : std::uint8_t {
  both,
  only_new,  ///< the protocol is new: OLD, a git revision, does not have the folder yet
  only_old   ///< it was deleted: NEW does not have it any more
};

/// Only versions of the same folder, at least one of them a git revision, count as new or deleted:
/// anything else that is missing is a name mistyped, and `both`, for version_of() to refuse it.
Presence presence(const std::string& old_one, const std::string& new_one);

/// The verdicts in `file` that are on the protocol `name`: the only ones there, or those whose
/// protocol has its name or its folder's name. Throws BadInput with a near miss.
scenarios::Matrix stored_matrix(const std::filesystem::path& file, const std::string& name);

}  // namespace lockstep::cli
