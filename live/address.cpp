// Reads redis:// addresses; see the header.
#include "live/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/base/error.hpp"

namespace lockstep::live {

namespace {

constexpr int kHighestPort = 65535;
constexpr int kHighestDatabase = 1'000'000;

[[noreturn]] void refuse(const std::string& text) {
  throw sim::BadInput(
      fmt::format("--redis: found `{}`, expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] "
                  "or unix:///PATH",
                  text));
}

std::optional<int> whole_number(const std::string& digits, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || number < least || number > most) return std::nullopt;
  return number;
}

/// Cuts off what stands before the last (or the first) `mark`; nothing if there is none.
std::optional<std::string> cut_before(std::string& text, std::size_t place) {
  if (place == std::string::npos) return std::nullopt;
  auto before = text.substr(0, place);
  text.erase(0, place + 1);
  return before;
}

/// "%40" is "@", as in what redis-cli -u takes (cli_common.c, percentDecode).
std::string decoded(const std::string& text, const std::string& address) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + at + 1;
    const char* const last = digits + std::min<std::size_t>(2, text.size() - at - 1);
    const auto [end, error] = std::from_chars(digits, last, byte, 16);
    if (error != std::errc{} || end != digits + 2) refuse(address);
    plain += static_cast<char>(byte);
    at += 2;
  }
  return plain;
}

/// A host by its IPv6 address stands in brackets (RFC 3986): its colons are no port's.
void read_host_and_port(std::string authority, const std::string& text, Address& address) {
  std::string host;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string::npos) refuse(text);
    host = authority.substr(1, end - 1);
    authority.erase(0, end + 1);
    if (!authority.empty() && authority[0] != ':') refuse(text);
  } else {
    host = authority.substr(0, authority.rfind(':'));
    authority.erase(0, host.size());
    if (host.find(':') != std::string::npos) refuse(text);
  }
  if (!authority.empty()) {
    const auto port = whole_number(authority.substr(1), 1, kHighestPort);
    if (!port) refuse(text);
    address.port = *port;
  }
  if (host.empty() || host.find_first_of(" ?#\n\r\t") != std::string::npos) refuse(text);
  address.host = host;
}

void read_credentials(std::string& rest, const std::string& text, Address& address) {
  auto credentials = cut_before(rest, rest.rfind('@'));
  if (!credentials) return;
  const auto user = cut_before(*credentials, credentials->find(':'));
  address.user = decoded(user.value_or(""), text);
  address.password = decoded(*credentials, text);
}

}  // namespace

std::string Address::shown() const {
  if (!socket.empty()) return "unix://" + socket;
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("redis://{}:{}/{}", brackets ? "[" + host + "]" : host, port, database);
}

Address parse_address(const std::string& text) {
  constexpr std::string_view tcp = "redis://", local = "unix://";
  Address address;
  if (text.starts_with(local)) {
    address.socket = text.substr(local.size());
    if (!address.socket.starts_with('/')) refuse(text);
    return address;
  }
  if (!text.starts_with(tcp)) refuse(text);
  auto rest = text.substr(tcp.size());
  read_credentials(rest, text, address);
  auto authority = cut_before(rest, rest.find('/'));
  if (authority && !rest.empty()) {
    const auto database = whole_number(rest, 0, kHighestDatabase);
    if (!database) refuse(text);
    address.database = *database;
  }
  read_host_and_port(authority.value_or(rest), text, address);
  return address;
}

}  // namespace lockstep::live
