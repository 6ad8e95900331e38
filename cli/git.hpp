// A folder as it was in a git revision, taken out of the repository without touching the work tree.
#pragma once

#include <memory>
#include <string>

#include "sim/temporary_folder.hpp"

namespace lockstep::cli {

/// Whether `target` is written like a git revision of a folder: "HEAD~1:protocols/my-lock".
bool names_revision(const std::string& target);

/// The files of `target`, "REVISION:FOLDER" as git understands it (FOLDER counts from the top of
/// the work tree, or with "./" from here). Throws BadInput with what git says.
std::unique_ptr<const sim::TemporaryFolder> take_out(const std::string& target);

}  // namespace lockstep::cli
