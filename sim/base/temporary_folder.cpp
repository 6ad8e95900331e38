// See the header.
#include "sim/base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "sim/base/error.hpp"

namespace lockstep::sim {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  auto pattern = (fs::temp_directory_path() / "lockstep-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw BadInput(pattern + ": cannot make a folder: " + std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a folder under /tmp that stays does no harm
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(const fs::path& name, const std::string& text) const {
  fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

}  // namespace lockstep::sim
