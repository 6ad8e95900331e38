// Runs git, without a shell; see the header.
#include "cli/git.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <sstream>
#include <vector>

#include "sim/base/error.hpp"

namespace fs = std::filesystem;

namespace lockstep::cli {

namespace {

/// One end to read from, one to write to; closed with the object.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writing() const { return ends_[1]; }
  /// Everything that others write, to its end.
  std::string read_all() {
    close_end(1);
    std::string all;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(ends_[0], buffer.data(), buffer.size())) > 0;)
      all.append(buffer.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) close(ends_.at(end));
    ends_.at(end) = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// What `git WORDS...` prints. Throws BadInput "`target`: git: ..." if it fails.
std::string git(std::vector<std::string> words, const std::string& target) {
  words.insert(words.begin(), "git");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  Pipe out, err;
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "git", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw sim::BadInput(fmt::format("{}: git cannot be run: {}", target, std::strerror(failed)));

  auto printed = out.read_all();  // first: what git complains of fits into a pipe's buffer
  auto complaint = err.read_all();
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return printed;
  complaint = complaint.substr(0, complaint.find('\n'));
  throw sim::BadInput(fmt::format("{}: git: {}", target, complaint.empty() ? "failed" : complaint));
}

/// One file of a tree, as `git ls-tree -r -z` lists it: "100644 blob HASH<tab>NAME".
struct Entry {
  std::string kind, hash;
  fs::path file;
};

Entry parsed(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('\t')));
  std::string mode;
  Entry entry;
  words >> mode >> entry.kind >> entry.hash;
  if (mode == "120000") entry.kind = "link";
  entry.file = fs::path(line.substr(line.find('\t') + 1)).lexically_normal();
  return entry;
}

bool stays_inside(const fs::path& file) {
  return file.is_relative() && !file.empty() && *file.begin() != "..";
}

}  // namespace

bool names_revision(const std::string& target) {
  const auto colon = target.find(':');
  return colon != std::string::npos && colon > 0 && target.front() != '-' && target.front() != '/';
}

fs::path place_in_work_tree(const std::string& target) {
  const auto folder = target.substr(target.find(':') + 1);
  if (folder.starts_with("./") || folder.starts_with("../")) return fs::absolute(folder);
  const auto top = git({"rev-parse", "--show-toplevel"}, target);
  return fs::path(top.substr(0, top.find('\n'))) / folder;
}

bool is_missing(const std::string& target) {
  git({"rev-parse", "--verify", target.substr(0, target.find(':')) + "^{tree}"}, target);
  try {
    git({"cat-file", "-e", target}, target);
    return false;
  } catch (const sim::BadInput&) {
    return true;
  }
}

std::unique_ptr<const sim::TemporaryFolder> take_out(const std::string& target) {
  auto folder = std::make_unique<const sim::TemporaryFolder>();
  std::istringstream entries(git({"ls-tree", "-r", "-z", "--full-tree", target}, target));
  for (std::string line; std::getline(entries, line, '\0');) {
    const auto entry = parsed(line);
    if (entry.kind != "blob" || !stays_inside(entry.file))
      throw sim::BadInput(fmt::format("{}: {} is no plain file", target, entry.file.string()));
    folder->write(entry.file, git({"cat-file", "blob", entry.hash}, target));
  }
  return folder;
}

}  // namespace lockstep::cli
