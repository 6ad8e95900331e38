// See versions.hpp.
#include "cli/versions.hpp"

#include <fmt/format.h>

#include "scenarios/matrix_file.hpp"
#include "scenarios/suggest.hpp"
#include "sim/error.hpp"
#include "sim/program.hpp"

namespace fs = std::filesystem;

namespace lockstep::cli {

namespace {

std::string last_part(const std::string& name) {
  const auto path = fs::path(name.substr(name.find(':') + 1) + "/").lexically_normal();
  return path.parent_path().filename().string();
}

}  // namespace

std::string Version::told(std::string text) const {
  if (!taken_out) return text;
  const auto hidden = taken_out->path().string();
  for (auto at = text.find(hidden); at != std::string::npos; at = text.find(hidden, at))
    text.replace(at, hidden.size(), name);
  return text;
}

Version version_of(const std::string& target, const scenarios::Catalog& catalog) {
  Version version;
  version.name = target;
  if (names_revision(target) && !fs::exists(target)) {
    version.taken_out = take_out(target);
    version.folder = version.taken_out->path();
  } else {
    version.folder = catalog.protocol_folder(target);
  }
  try {
    version.title = sim::Program(version.folder).title();
  } catch (const sim::BadInput& error) {
    throw sim::BadInput(version.told(error.what()));
  }
  return version;
}

scenarios::Matrix stored_matrix(const fs::path& file, const std::string& name) {
  const auto matrices = scenarios::read_matrices(file);
  if (matrices.size() == 1) return matrices.front();
  std::vector<std::string> names;
  for (const auto& matrix : matrices) {
    const auto& protocol = matrix.world.protocol;
    if (protocol == name || last_part(protocol) == last_part(name)) return matrix;
    names.push_back(protocol);
  }
  throw sim::BadInput(fmt::format("{}: holds no verdicts on `{}`{}", file.string(), name,
                                  scenarios::suggestion(name, names)));
}

}  // namespace lockstep::cli
