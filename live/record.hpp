// Runs a person's command beside a server of ours and keeps what it sends.
#pragma once

#include <string>
#include <vector>

namespace lockstep::live {

struct Recording {
  std::string log;  ///< as MONITOR prints it
  int status = 0;   ///< the command's exit code; 128 and the signal if one has ended it
};

/// Starts an empty redis-server; runs `command` until it ends, which finds the server in
/// REDIS_HOST, REDIS_PORT and REDIS_URL, or where a word of it says {host}, {port} or {url}.
/// `quiet`: what it prints goes to the error stream. Throws BadInput if it cannot be run.
Recording record(std::vector<std::string> command, bool quiet);

}  // namespace lockstep::live
