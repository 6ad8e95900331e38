// See the header.
#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/shiviz.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"

namespace lockstep::cli {

namespace fs = std::filesystem;

bool is_ours(const std::string& text) {
  return text.find("\"lockstep_trace\"") != text.npos ||
         text.find("<testsuite name=\"lockstep\"") != text.npos ||
         (text.find("/sarif-2.1.0.json\"") != text.npos &&
          text.find("\"name\": \"lockstep\"") != text.npos) ||
         text.starts_with("digraph lockstep {") || text.starts_with("<svg id=\"lockstep\"") ||
         text.starts_with("<!DOCTYPE html>\n<html lang=\"en\" data-by=\"lockstep\">") ||
         text.starts_with("<!-- lockstep -->") ||
         text.starts_with("sequenceDiagram\n  %% lockstep") || text.starts_with(kShivizEvent);
}

void expect_output(const char* flag, const std::string& file) {
  if (file.empty()) return;
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !sim::is_folder(folder))
    throw sim::BadInput(fmt::format("{} {}: there is no folder {}", flag, file, folder.string()));
  if (sim::is_folder(file)) throw sim::BadInput(fmt::format("{} {}: is a folder", flag, file));
  if (!sim::is_file(file)) return;
  const std::string text = sim::file_text(file);
  if (text.empty() || is_ours(text)) return;
  throw sim::BadInput(fmt::format(
      "{} {}: is there already, and not by lockstep; name another file, or remove it", flag, file));
}

void remove_stale(const std::string& file) {
  std::error_code ignored;
  if (!file.empty() && sim::is_file(file) && !fs::is_symlink(file, ignored))
    fs::remove(file, ignored);
}

}  // namespace lockstep::cli
