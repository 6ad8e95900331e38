// `lockstep new`: a folder with a lock to begin with.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <regex>

#include "cli/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"

namespace lockstep::cli {

namespace fs = std::filesystem;

namespace {

std::string with_every(std::string text, const std::string& word, const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += instead.size())
    text.replace(at, word.size(), instead);
  return text;
}

/// The files of a new lock by their path in its folder.
std::map<std::string, std::string> filled_in(const fs::path& templates, const std::string& folder,
                                             const std::string& name) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(templates))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(templates).string()] =
          with_every(with_every(sim::file_text(entry.path()), "NAME", name), "FOLDER", folder);
  return files;
}

}  // namespace

int make_new(const NewArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto folder = fs::path(arguments.folder).lexically_normal();
  auto shown = folder.string();
  while (shown.size() > 1 && shown.back() == '/') shown.pop_back();
  const auto name = fs::path(shown).filename().string();
  if (!std::regex_match(name, std::regex("[A-Za-z0-9_][A-Za-z0-9_.-]*")))
    throw sim::BadInput(fmt::format(
        "new {}: expected a folder whose name is letters, digits, `-`, `_` and `.`", shown));
  if (fs::symlink_status(shown).type() != fs::file_type::not_found)
    throw sim::BadInput(fmt::format("new {}: is there already; nothing was written", shown));
  const auto files = filled_in(catalog.new_lock(), shown, name);
  try {
    for (const auto& [file, text] : files) {
      fs::create_directories((shown / fs::path(file)).parent_path());
      sim::write_file(shown / fs::path(file), text);
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(shown, ignored);
    throw;
  }
  for (const auto& [file, text] : files) io.out << shown << '/' << file << '\n';
  const bool is_path = shown.find('/') != std::string::npos;
  io.out << fmt::format(
      "\nNow:\n"
      "  lockstep check {0}{1}                     two clients, no fault\n"
      "  lockstep check {0}{1} --fault pause=1     the shortest run that breaks it\n"
      "  lockstep matrix {0}{1}                    every fault, every property\n"
      "  lockstep test {0}{1}/scenarios            what it is to keep, and what it cannot\n"
      "Then make protocol.lua your client, and release.lua your script, byte for byte.\n",
      is_path ? "" : "./", shown);
  return kAsExpected;
}

}  // namespace lockstep::cli
