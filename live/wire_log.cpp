// Reads what MONITOR prints; see the header.
#include "live/wire_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/base/error.hpp"

namespace lockstep::live {

namespace {

constexpr std::int64_t kSecond = 1'000'000;  // in microseconds
constexpr std::size_t kDigitsOfMicroseconds = 6;

/// Reads a line from left to right; every function says whether that is what stands there.
class Line {
 public:
  explicit Line(std::string_view rest) : rest_(rest) {}

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool number(std::int64_t& value) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool until(char c, std::string& word) {
    const auto at = rest_.find(c);
    if (at == std::string_view::npos || at == 0) return false;
    word = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return true;
  }

  /// "..." with \n \r \t \a \b \xHH \" \\.
  bool quoted(std::string& bytes) {
    bytes.clear();
    if (!skip('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\')
        bytes += c;
      else if (!escaped(bytes))
        return false;
    }
    return false;
  }

  bool over() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

 private:
  bool escaped(std::string& bytes) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == 'x') return hexadecimal(bytes);
    constexpr std::string_view kLetters = "nrtab", kMeant = "\n\r\t\a\b";
    const auto at = kLetters.find(c);
    bytes += at == std::string_view::npos ? c : kMeant[at];
    return true;
  }

  bool hexadecimal(std::string& bytes) {
    unsigned value = 0;
    if (rest_.size() < 2) return false;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 2, value, 16);
    if (error != std::errc{} || end != rest_.data() + 2) return false;
    rest_.remove_prefix(2);
    bytes += static_cast<char>(value);
    return true;
  }

  std::string_view rest_;
};

/// 1339518083.107412 [0 127.0.0.1:60866] "keys" "*".
std::optional<WireRequest> request_in(std::string_view text) {
  Line line(text);
  WireRequest read;
  std::int64_t seconds = 0, fraction = 0, database = 0;
  if (!line.number(seconds) || !line.skip('.')) return std::nullopt;
  const auto before = line.left();
  if (!line.number(fraction) || before - line.left() != kDigitsOfMicroseconds) return std::nullopt;
  if (!line.skip(' ') || !line.skip('[') || !line.number(database) || !line.skip(' '))
    return std::nullopt;
  if (!line.until(']', read.connection)) return std::nullopt;
  if (read.connection.front() == '[') {  // [::1]:60866
    std::string port;
    if (!line.until(']', port)) return std::nullopt;
    read.connection += ']' + port;
  }
  std::string argument;
  while (!line.over()) {
    if (!line.skip(' ') || !line.quoted(argument)) return std::nullopt;
    read.request.push_back(argument);
  }
  if (read.request.empty()) return std::nullopt;
  read.time_us = seconds * kSecond + fraction;
  read.database = static_cast<int>(database);
  return read;
}

}  // namespace

std::vector<WireRequest> read_wire_log(std::string_view text, const std::string& file) {
  std::vector<WireRequest> log;
  std::size_t number = 0;
  const bool ends = text.ends_with('\n');
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line == "OK") continue;  // MONITOR's own reply
    auto read = request_in(line);
    if (!read && text.empty() && !ends) break;  // the log was cut off there
    if (!read)
      throw sim::BadInput(fmt::format(
          R"({}:{}: not a line of MONITOR; one looks so: 1767225600.000123 [0 127.0.0.1:50231] "GET" "lock")",
          file, number));
    if (read->connection == "lua") continue;
    read->line = number;
    log.push_back(std::move(*read));
  }
  if (log.empty())
    throw sim::BadInput(fmt::format(
        "{}: no request in it; `redis-cli MONITOR > {}` writes such a log", file, file));
  return log;
}

}  // namespace lockstep::live
