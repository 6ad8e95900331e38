// Reads redis:// addresses; see the header.
#include "live/address.hpp"

#include <fmt/format.h>

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

void read_credentials(std::string& rest, Address& address) {
  auto credentials = cut_before(rest, rest.rfind('@'));
  if (!credentials) return;
  const auto user = cut_before(*credentials, credentials->find(':'));
  address.user = user.value_or("");
  address.password = *credentials;
}

}  // namespace

std::string Address::shown() const {
  return socket.empty() ? fmt::format("redis://{}:{}/{}", host, port, database)
                        : "unix://" + socket;
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
  read_credentials(rest, address);
  auto authority = cut_before(rest, rest.find('/'));
  if (authority && !rest.empty()) {
    const auto database = whole_number(rest, 0, kHighestDatabase);
    if (!database) refuse(text);
    address.database = *database;
  }
  auto host = authority.value_or(rest);
  if (const auto before_port = cut_before(host, host.rfind(':'))) {
    const auto port = whole_number(host, 1, kHighestPort);
    if (!port) refuse(text);
    address.port = *port;
    host = *before_port;
  }
  if (host.empty()) refuse(text);
  address.host = host;
  return address;
}

}  // namespace lockstep::live
