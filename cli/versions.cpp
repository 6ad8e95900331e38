// See versions.hpp.
#include "cli/versions.hpp"

#include <fmt/format.h>

#include "scenarios/matrix_file.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"
#include "sim/base/path.hpp"
#include "sim/client/program.hpp"

namespace fs = std::filesystem;

namespace lockstep::cli {

namespace {

std::string last_part(const std::string& name) {
  const auto path = fs::path(name.substr(name.find(':') + 1) + "/").lexically_normal();
  return path.parent_path().filename().string();
}

bool is_revision(const std::string& target) {
  return names_revision(target) && !sim::is_there(target);
}

bool is_there(const std::string& target) {
  return is_revision(target) ? !is_missing(target) : sim::is_folder(target);
}

fs::path place_of(const std::string& target) {
  const auto place = is_revision(target) ? place_in_work_tree(target) : fs::absolute(target);
  const auto canonical = fs::weakly_canonical(place / "");
  return canonical.has_filename() ? canonical : canonical.parent_path();
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
  if (is_revision(target)) {
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

Presence presence(const std::string& old_one, const std::string& new_one) {
  if (!is_revision(old_one) && !is_revision(new_one)) return Presence::both;
  const bool old_there = is_there(old_one), new_there = is_there(new_one);
  if (old_there == new_there || place_of(old_one) != place_of(new_one)) return Presence::both;
  return new_there ? Presence::only_new : Presence::only_old;
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
