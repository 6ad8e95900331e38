// Command lines in tests; see the header.
#include "tests/cli/command_line.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "cli/run.hpp"
#include "sim/base/temporary_folder.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader =
    "# What the command printed when a person last looked. Commit a change of this file only if "
    "you understand the\n"
    "# difference. Written by: LOCKSTEP_APPROVE=1 test_cli\n\n";

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// Timings, memory and the places of files differ from run to run and from machine to machine.
std::string masked(std::string text) {
  text = std::regex_replace(text, std::regex(R"([0-9]+\.[0-9]{2} s\b)"), "#.## s");
  text = std::regex_replace(text, std::regex(R"("seconds": [0-9.e+-]+)"), "\"seconds\": #");
  text = std::regex_replace(text, std::regex(R"("visited_bytes": [0-9]+)"), "\"visited_bytes\": #");
  text =
      std::regex_replace(text, std::regex(R"("fingerprint": "[0-9a-f]+")"), "\"fingerprint\": #");
  text = std::regex_replace(text, std::regex(R"([0-9]+\.[0-9] MB)"), "#.# MB");
  replace_all(text, scratch().string(), "<tmp>");
  replace_all(text, LOCKSTEP_SOURCE_DIR, "<source>");
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line = "lockstep";
  for (const auto& word : words) line += " " + word;
  return line;
}

}  // namespace

Ran run(const std::vector<std::string>& words, const std::string& in, bool terminal) {
  setenv("LOCKSTEP_HOME", LOCKSTEP_SOURCE_DIR, 1);
  std::istringstream input(in);
  std::ostringstream out, err;
  cli::Io io{input, out, err};
  io.prompts = terminal;
  const int code = cli::run(words, io);
  unsetenv("LOCKSTEP_HOME");
  return {code, out.str(), err.str()};
}

std::string run_told(const std::string& printed) {
  const std::string empty = "\n\n";
  const std::size_t begin = printed.find(empty);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + empty.size();
  std::string told = printed.substr(from, printed.find(empty, from) - from);
  if (told.ends_with('\n')) told.pop_back();
  return told;
}

std::string transcript(const std::vector<std::string>& words, const std::string& in,
                       bool terminal) {
  const auto ran = run(words, in, terminal);
  auto text = "$ " + joined(words) + "\n" + ran.out;
  if (!ran.err.empty()) text += "stderr: " + ran.err;
  return masked(text) + "exit code " + std::to_string(ran.code) + "\n";
}

void check_approved(const std::string& name, const std::string& text) {
  const auto file = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/cli/approved" / (name + ".txt");
  if (std::getenv("LOCKSTEP_APPROVE") != nullptr)
    std::ofstream(file, std::ios::binary) << kHeader << text;
  INFO("approved: " << file);
  CHECK(read(file) == kHeader + text);
}

fs::path scratch() {
  static const sim::TemporaryFolder folder;
  return folder.path();
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string data(const std::string& name) {
  return std::string(LOCKSTEP_SOURCE_DIR) + "/tests/cli/data/" + name;
}

}  // namespace lockstep::tests
