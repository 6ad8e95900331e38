// Files that a flag names to be written.
#pragma once

#include <string>

namespace lockstep::cli {

/// Before any work: throws BadInput where the flag's file is something that lockstep has not
/// written (a protocol, say), or its folder is not there. No file ("") is fine.
void expect_output(const char* flag, const std::string& file);

/// Whether lockstep has written a file with this text.
bool is_ours(const std::string& text);

/// What an earlier run has written there is not true any more.
void remove_stale(const std::string& file);

}  // namespace lockstep::cli
