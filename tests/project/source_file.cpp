// Reads the project's own source, line by line; no real parser, the layout that clang-format gives
// is enough.
#include "tests/project/source_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace lockstep::tests {
namespace {

bool ends_with_any(const std::string& path, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return path.ends_with(ending); });
}

/// Whether a line at its column can be the head of a function: not a comment, label, directive or
/// closing brace.
bool may_open(const std::string& line, std::size_t column) {
  if (line.size() <= column || line.find_first_not_of(' ') != column) return false;
  const char first = line[column];
  return first != '}' && first != '/' && first != '#' && first != ')';
}

std::string function_name(const std::string& head) {
  const auto parenthesis = head.find('(');
  if (parenthesis == std::string::npos) return "";
  const auto start = head.find_last_of(" *&", parenthesis == 0 ? 0 : parenthesis - 1);
  return head.substr(start == std::string::npos ? 0 : start + 1,
                     parenthesis - (start == std::string::npos ? 0 : start + 1));
}

}  // namespace

std::string SourceFile::folder() const { return path.substr(0, path.find('/')); }

SourceFile make_file(const std::string& path, const std::string& text) {
  SourceFile file{path, {}};
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

SourceFile read_file(const std::string& path) {
  std::ifstream in(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + path);
  return make_file(path, text.str());
}

std::vector<SourceFile> read_files(const std::vector<std::string>& folders,
                                   const std::vector<std::string>& endings) {
  const std::filesystem::path root = LOCKSTEP_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const auto& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (!entry.is_regular_file() || !ends_with_any(path, endings)) continue;
      files.push_back(read_file(path));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex directive(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  for (std::size_t i = 0; i < file.lines.size(); i++) {
    std::smatch match;
    if (std::regex_search(file.lines[i], match, directive))
      includes.push_back({i + 1, match[2], match[1] == "\""});
  }
  return includes;
}

std::vector<Function> functions_of(const SourceFile& file) {
  std::vector<Function> functions;
  for (const std::size_t column : {0U, 2U}) {
    const std::string closing = std::string(column, ' ') + "}";
    std::size_t open = file.lines.size();
    for (std::size_t i = 0; i < file.lines.size(); i++) {
      if (may_open(file.lines[i], column)) open = i;
      if (file.lines[i] != closing || open >= i) continue;
      const std::string name = function_name(file.lines[open]);
      if (!name.empty()) functions.push_back({name, open + 1, i - open + 1});
    }
  }
  return functions;
}

std::string code_of(const std::string& line) {
  std::string code;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); i++) {
    if (in_string && line[i] == '\\') {
      i++;
    } else if (line[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && line.compare(i, 2, "//") == 0) {
      break;
    } else if (!in_string) {
      code += line[i];
    }
  }
  return code;
}

}  // namespace lockstep::tests
