// Files of a report; see the header.
#include "cli/site_folder.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "cli/keep_trace.hpp"
#include "cli/output_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"

namespace lockstep::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRuns = "runs";

}  // namespace

SiteFolder::SiteFolder(fs::path folder) : folder_(std::move(folder)) {
  const auto refuse = [&](const char* why) {
    throw sim::BadInput(fmt::format("report {}: {}", folder_.string(), why));
  };
  if (!sim::is_folder(folder_)) {
    std::error_code ignored;
    if (fs::exists(folder_, ignored)) refuse("is no folder");
    expect_output("report", (folder_ / "").parent_path().string());
  } else if (!fs::is_empty(folder_) &&
             (!sim::is_file(index()) || !is_ours(sim::file_text(index())))) {
    refuse("is not empty, and holds no report; name another folder");
  }
}

void SiteFolder::begin() const {
  const fs::path runs = folder_ / kRuns;
  fs::create_directories(runs);
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(runs))
    if (entry.is_regular_file() && entry.path().extension() == ".html" &&
        is_ours(sim::file_text(entry.path())))
      pages.push_back(entry.path());
  for (const fs::path& page : pages) fs::remove(page);
}

std::string SiteFolder::link_to(const std::string& name) {
  return fmt::format("{}/{}.html", kRuns, fs::path(name).generic_string());
}

std::string SiteFolder::link_back(const std::string& link) {
  std::string up;
  for (const char c : link) up += c == '/' ? "../" : "";
  return up + "index.html";
}

void SiteFolder::put(const std::string& link, const std::string& page) const {
  const fs::path file = folder_ / link;
  fs::create_directories(file.parent_path());
  sim::write_file(file.string(), page);
}

void SiteFolder::put_index(const std::string& page) const {
  sim::write_file(index().string(), page);
}

}  // namespace lockstep::cli
