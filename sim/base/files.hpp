// Files that a person named, read and written whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// The bytes of a file. Throws BadInput, with the reason of the operating system, if it cannot be
/// read, and if it has more than 64 MiB (a device has no end).
std::string file_text(const std::filesystem::path& file);

/// A regular file (and one that is new) is replaced at once: nobody ever sees half of it. Into
/// anything else (a device, a pipe, what a symbolic link leads to) it is written. Throws BadInput,
/// with the reason, if it cannot be; then a regular file is as it was.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace lockstep::sim
