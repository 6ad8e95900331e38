// The folder of `lockstep report`: an index, and a page for each run.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::cli {

class SiteFolder {
 public:
  /// Before any work. Throws BadInput if the folder can be neither made nor taken: it has to be
  /// empty, or one that this class has filled.
  explicit SiteFolder(std::filesystem::path folder);

  /// Makes it, without the pages that an earlier report has left there.
  void begin() const;
  /// Where the page of a run goes, from the index: "runs/NAME.html".
  static std::string link_to(const std::string& name);
  /// From there to the index: a folder may be anywhere, so links are relative.
  static std::string link_back(const std::string& link);
  void put(const std::string& link, const std::string& page) const;
  void put_index(const std::string& page) const;
  std::filesystem::path index() const { return folder_ / "index.html"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace lockstep::cli
