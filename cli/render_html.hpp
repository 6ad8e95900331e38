// A run as a page: one file that needs nothing else, and no network.
#pragma once

#include <string>

#include "cli/telling.hpp"

namespace lockstep::cli {

/// `index`: what the page leads back to, relative to it; empty: to nothing.
std::string as_html(const Telling& telling, const std::string& index = "");

/// How every page of lockstep begins: by it lockstep knows a page as its own. `title` is text.
std::string html_head(const std::string& title);
/// The style of a verdict in capitals.
const char* class_of_verdict(const std::string& verdict);

}  // namespace lockstep::cli
