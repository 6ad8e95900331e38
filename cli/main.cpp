// The lockstep program: the real streams, and what kind they are.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cli/run.hpp"

int main(int argc, char** argv) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  lockstep::cli::Io io{std::cin, std::cout, std::cerr};
  const char* const workflow = std::getenv("GITHUB_ACTIONS");
  io.annotates = workflow != nullptr && std::string_view(workflow) == "true";
  io.colours = terminal && std::getenv("NO_COLOR") == nullptr;
  io.prompts = terminal && isatty(STDIN_FILENO) != 0;
  io.edits = io.prompts;
  io.progress = isatty(STDERR_FILENO) != 0;
  io.timings = terminal;
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) io.columns = size.ws_col;
  return lockstep::cli::run({argv + 1, argv + argc}, io);
}
