// For tests of errors that a person can cause: the one line that they end in, and files to cause
// them with.
#pragma once

#include <functional>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/temporary_folder.hpp"

namespace lockstep::tests {

/// The text of the BadInput that `action` throws, or "" if it throws none.
inline std::string bad_input(const std::function<void()>& action) {
  try {
    action();
  } catch (const sim::BadInput& error) {
    return error.what();
  }
  return "";
}

using sim::TemporaryFolder;

}  // namespace lockstep::tests
