// A folder as it was in a git revision, taken out of the repository without touching the work tree.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sim/base/temporary_folder.hpp"

namespace lockstep::cli {

/// Whether `target` is written like a git revision of a folder: "HEAD~1:protocols/my-lock".
bool names_revision(const std::string& target);

/// Where FOLDER of `target`, a "REVISION:FOLDER", is or would be in the work tree. Throws BadInput
/// with what git says.
std::filesystem::path place_in_work_tree(const std::string& target);

/// Whether REVISION of `target` has no FOLDER. Throws BadInput with what git says of a REVISION
/// that does not exist.
bool is_missing(const std::string& target);

/// The files of `target`, "REVISION:FOLDER" as git understands it (FOLDER counts from the top of
/// the work tree, or with "./" from here). Throws BadInput with what git says.
std::unique_ptr<const sim::TemporaryFolder> take_out(const std::string& target);

}  // namespace lockstep::cli
