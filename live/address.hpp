// Where a Redis server is: redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or unix:///PATH.
// An IPv6 address stands in brackets; what has another meaning in a name or a password is written
// %XX.
#pragma once

#include <string>

namespace lockstep::live {

struct Address {
  std::string host;
  int port = 6379;
  std::string socket;  ///< a unix socket instead of host and port, if not empty
  std::string user, password;
  int database = 0;

  /// For messages: without the password.
  std::string shown() const;
};

/// Throws BadInput for what is no address.
Address parse_address(const std::string& text);

}  // namespace lockstep::live
