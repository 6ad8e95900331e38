// Reads cmake/rooms.cmake; see the header.
#include "tests/project/rooms.hpp"

#include <fstream>
#include <iterator>
#include <regex>

namespace lockstep::tests {
namespace {

Rooms read_rooms() {
  std::ifstream in(std::string(LOCKSTEP_SOURCE_DIR) + "/cmake/rooms.cmake");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  static const std::regex room(R"(\nlockstep_room\((\w+) (\S+) SEES ([^)]*)\))");
  static const std::regex below(R"(lockstep_(\w+))");
  Rooms by_target, by_folder;
  std::map<std::string, std::string> folder_of;
  for (std::sregex_iterator i(text.begin(), text.end(), room), end; i != end; ++i) {
    const std::string name = (*i)[1], sees = (*i)[3];
    folder_of[name] = (*i)[2];
    auto& all = by_target[name];
    all.insert(name);
    // A room is listed after those that it sees: a circle cannot be written down.
    for (std::sregex_iterator j(sees.begin(), sees.end(), below), last; j != last; ++j)
      all.insert(by_target.at((*j)[1]).begin(), by_target.at((*j)[1]).end());
  }
  for (const auto& [name, seen] : by_target)
    for (const auto& target : seen) by_folder[folder_of[name]].insert(folder_of[target]);
  return by_folder;
}

}  // namespace

const Rooms& rooms() {
  static const Rooms read = read_rooms();
  return read;
}

std::string room_of(const std::string& path, const Rooms& rooms) {
  std::string found;
  for (const auto& [folder, seen] : rooms)
    if (path.starts_with(folder + "/") && folder.size() > found.size()) found = folder;
  return found;
}

}  // namespace lockstep::tests
