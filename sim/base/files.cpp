// See the header. By C's streams: they say why something failed (errno).
#include "sim/base/files.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>

#include "sim/base/error.hpp"

namespace lockstep::sim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20;

struct Closing {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using Stream = std::unique_ptr<std::FILE, Closing>;

[[noreturn]] void refuse(const fs::path& file, const char* what, int error) {
  throw BadInput(
      fmt::format("{}: {}: {}", file.string(), what, std::generic_category().message(error)));
}

/// 0, or what went wrong. Some of it shows only when the file is closed.
int write_error(const fs::path& file, const char* mode, std::string_view text) {
  std::FILE* const out = std::fopen(file.c_str(), mode);
  if (out == nullptr) return errno;
  int error = std::fwrite(text.data(), 1, text.size(), out) == text.size() ? 0 : errno;
  if (std::fclose(out) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

std::string file_text(const fs::path& file) {
  const Stream in(std::fopen(file.c_str(), "rb"));
  if (!in) refuse(file, "cannot be read", errno);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
    text.append(buffer.data(), count);
    if (text.size() > kLargestFile)
      throw BadInput(fmt::format("{}: cannot be read: more than 64 MiB", file.string()));
  }
  if (std::ferror(in.get()) != 0) refuse(file, "cannot be read", errno);
  return text;
}

void write_file(const fs::path& file, std::string_view text) {
  std::error_code failed;
  const fs::file_status there = fs::symlink_status(file, failed);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    if (const int error = write_error(file, "wb", text); error != 0)
      refuse(file, "cannot be written", error);
    return;
  }
  const auto unlike_others = std::chrono::steady_clock::now().time_since_epoch().count();
  const fs::path temporary = fmt::format("{}.{}.tmp", file.string(), unlike_others);
  int error = write_error(temporary, "wbx", text);
  failed.clear();
  if (error == 0) fs::rename(temporary, file, failed);
  if (failed) error = failed.value();
  if (error == 0) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  refuse(file, "cannot be written", error);
}

}  // namespace lockstep::sim
