// Stands in for libFuzzer in a normal build: runs a target on the files of the folders that are
// named; on a third of them each day where they are many, as they take minutes under sanitizers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/seeds.hpp"

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry);
  std::ranges::sort(files);
  const bool many = files.size() > 100;
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    if (many && !lockstep::test::is_todays(i, 3)) continue;
    std::ifstream in(files[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
