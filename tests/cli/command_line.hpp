// Runs command lines inside the test, without a process or a terminal, and compares what they print
// with approved files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::tests {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs one command line; `in` is what stands on its standard input, or is typed at a terminal.
Ran run(const std::vector<std::string>& words, const std::string& in = "", bool terminal = false);

/// The steps of the run in a printout of `check` or `replay`, with what the last one violates: what
/// stands between the first two empty lines.
std::string run_told(const std::string& printed);

/// The transcript of a command line: the line itself, what it printed, its exit code; with timings
/// and folders masked.
std::string transcript(const std::vector<std::string>& words, const std::string& in = "",
                       bool terminal = false);

/// Compares `text` with tests/cli/approved/`name`.txt. With LOCKSTEP_APPROVE set in the
/// environment, writes that file instead.
void check_approved(const std::string& name, const std::string& text);

/// A folder in which the tests may write; masked as <tmp>.
std::filesystem::path scratch();
/// Writes a file, with the folders above it, and reads one whole ("" if there is none).
void write(const std::filesystem::path& file, const std::string& text);
std::string read(const std::filesystem::path& file);
/// Runs commands in another folder, and comes back at the end of the test.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& folder)
      : before_(std::filesystem::current_path()) {
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
  }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

/// The path of a file under tests/cli/data.
std::string data(const std::string& name);

}  // namespace lockstep::tests
