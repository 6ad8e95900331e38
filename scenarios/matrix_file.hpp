// Matrices as JSON: what `lockstep matrix --json` prints, and what `lockstep diff --baseline` reads
// back. It holds nothing that differs from run to run, so that a file can be kept under version
// control.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/matrix.hpp"

namespace lockstep::scenarios {

/// Raised when what a stored matrix means has changed; a file of another version is refused.
inline constexpr int kMatrixVersion = 1;

std::string matrix_report(const std::vector<Matrix>& matrices);

/// Reads stored matrices; their worlds have no folder. Throws BadInput with the place for what is
/// misspelt, missing, or of another version.
std::vector<Matrix> read_matrices(const std::filesystem::path& file);

}  // namespace lockstep::scenarios
