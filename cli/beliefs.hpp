// What each client takes for true of its lock, and what is, in words.
#pragma once

#include <string>

#include "cli/picture.hpp"

namespace lockstep::cli {

/// "that it holds the lock".
std::string believed(const Picture::Belief& belief);
/// What is true of what it believes: "✖ it has no lease".
const char* truth_of(const Picture::Belief& belief);

/// Of all clients after the last row, but for those that neither hold the lock nor believe so;
/// empty if these are all.
std::string beliefs_at_end(const Picture& picture);

}  // namespace lockstep::cli
