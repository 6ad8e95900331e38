// The rooms of cmake/rooms.cmake as data: which folder is a room, and which rooms it sees.
#pragma once

#include <map>
#include <set>
#include <string>

namespace lockstep::tests {

/// By a room's folder, the folders that it sees, its own among them.
using Rooms = std::map<std::string, std::set<std::string>>;

const Rooms& rooms();

/// The folder of the room that a path belongs to: the longest that contains it; "" if none does.
std::string room_of(const std::string& path, const Rooms& rooms);

}  // namespace lockstep::tests
