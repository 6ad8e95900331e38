// A run as a page: one file that needs nothing else, and no network.
#pragma once

#include <string>

#include "cli/telling.hpp"

namespace lockstep::cli {

std::string as_html(const Telling& telling);

}  // namespace lockstep::cli
