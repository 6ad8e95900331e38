// A folder for a while: what a git revision held, a server's files, what a test writes.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::sim {

/// An empty folder in the system's place for temporary files; gone with the object.
class TemporaryFolder {
 public:
  /// Throws BadInput if none can be made there.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file in it, with the folders above it; returns its path.
  std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::sim
