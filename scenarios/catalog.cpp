// Shipped protocols and scenarios; see the header.
#include "scenarios/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"

namespace fs = std::filesystem;

namespace lockstep::scenarios {

namespace {

bool is_home(const fs::path& folder) { return sim::is_folder(folder / "protocols"); }

bool looks_like_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.starts_with('.') || text.ends_with(".json");
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Catalog Catalog::find() {
  if (const char* home = std::getenv("LOCKSTEP_HOME")) {
    if (!is_home(home))
      throw sim::BadInput(
          fmt::format("LOCKSTEP_HOME={}: expected a folder that holds `protocols`", home));
    return Catalog(home);
  }
  std::error_code unreadable;
  const auto executable = fs::read_symlink("/proc/self/exe", unreadable);
  const auto beside = executable.parent_path().parent_path();
  if (!unreadable && is_home(beside)) return Catalog(beside);
  const auto shared = beside / "share" / "lockstep";
  if (!unreadable && is_home(shared)) return Catalog(shared);
  return Catalog(LOCKSTEP_SOURCE_DIR);
}

std::vector<std::string> Catalog::ladder() const {
  const auto file = home_ / "protocols" / "ladder.txt";
  if (!sim::is_there(file)) return {};
  std::vector<std::string> names;
  std::istringstream lines(sim::file_text(file));
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

std::vector<std::string> Catalog::protocols() const {
  auto names = ladder();
  const auto rungs = names.size();
  if (!is_home(home_)) return names;
  for (const auto& entry : fs::directory_iterator(home_ / "protocols")) {
    const auto name = entry.path().filename().string();
    if (sim::is_there(entry.path() / "protocol.lua") && !contains(names, name))
      names.push_back(name);
  }
  std::sort(names.begin() + static_cast<std::ptrdiff_t>(rungs), names.end());
  return names;
}

std::vector<std::string> Catalog::scenarios() const {
  std::vector<std::string> names;
  const auto folder = home_ / "scenarios";
  if (!sim::is_folder(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto file = entry.path().filename().string();
    if (file.ends_with(".json") && !file.ends_with(".schema.json"))
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path Catalog::protocol_folder(const std::string& name_or_path, const fs::path& base) const {
  const auto shipped = protocols();
  if (contains(shipped, name_or_path)) return home_ / "protocols" / name_or_path;
  const auto folder = base / name_or_path;
  if (sim::is_folder(folder) && !sim::is_there(folder / "protocol.lua"))
    throw sim::BadInput(fmt::format("{}: no protocol.lua in this folder", name_or_path));
  if (sim::is_folder(folder)) return folder.lexically_normal();
  if (looks_like_path(name_or_path))
    throw sim::BadInput(fmt::format("{}: no such protocol folder", folder.string()));
  throw sim::BadInput(
      fmt::format("no protocol `{}`{}", name_or_path, suggestion(name_or_path, shipped)));
}

fs::path Catalog::scenario_file(const std::string& name_or_path) const {
  const auto shipped = scenarios();
  if (contains(shipped, name_or_path)) return home_ / "scenarios" / (name_or_path + ".json");
  if (sim::is_there(name_or_path)) return name_or_path;
  if (looks_like_path(name_or_path))
    throw sim::BadInput(fmt::format("{}: no such file", name_or_path));
  throw sim::BadInput(
      fmt::format("no scenario `{}`{}", name_or_path, suggestion(name_or_path, shipped)));
}

Scenario Catalog::scenario(const std::string& name_or_path) const {
  const auto shipped = protocols();
  if (contains(shipped, name_or_path) || sim::is_folder(name_or_path))
    return default_scenario(name_or_path, protocol_folder(name_or_path));
  auto known = scenarios();
  if (!contains(known, name_or_path) && !sim::is_there(name_or_path) &&
      !looks_like_path(name_or_path)) {
    known.insert(known.begin(), shipped.begin(), shipped.end());
    throw sim::BadInput(fmt::format("no protocol or scenario `{}`{}", name_or_path,
                                    suggestion(name_or_path, known)));
  }
  return read(scenario_file(name_or_path));
}

Scenario Catalog::read(const fs::path& scenario_file) const {
  return read_scenario(scenario_file, [this](const std::string& protocol, const fs::path& base) {
    return protocol_folder(protocol, base);
  });
}

std::string Catalog::reference(const fs::path& folder, const fs::path& base) const {
  std::error_code not_there;
  for (const auto& name : protocols())
    if (fs::equivalent(home_ / "protocols" / name, folder, not_there)) return name;
  return relative_path(folder, base);
}

std::string relative_path(const fs::path& path, const fs::path& base) {
  return fs::relative(path, base.empty() ? fs::path(".") : base).string();
}

}  // namespace lockstep::scenarios
