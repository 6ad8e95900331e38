// Scripts and commands from files, as `lockstep eval` and the shell run them.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "sim/redis/server/server.hpp"

namespace lockstep::cli {

/// The whole of a file; of standard input for "-". Throws BadInput if it cannot be read.
std::string whole_file(const std::string& path, std::istream& in);

/// The EVAL of a script with "key ... , argument ..." as redis-cli --eval takes them.
sim::Request eval_request(const std::string& script, const std::vector<std::string>& words);

/// Loads the script into the server's cache: throws BadInput with `file`, the line and what is
/// wrong if it does not compile or is refused.
void expect_compiles(sim::Server& server, sim::SessionId session, const std::string& file,
                     const std::string& script);

/// Runs the commands in `text`, one a line as redis-cli reads them; empty lines and those that
/// begin with # are left out. Throws BadInput with the place for an error reply.
void run_commands(sim::Server& server, sim::SessionId session, const std::string& file,
                  const std::string& text);

/// The reply among what a request brought to `session`: the last that is its own.
const sim::Reply& reply_to(const sim::Server& server, const std::vector<sim::Delivery>& deliveries,
                           sim::SessionId session);

}  // namespace lockstep::cli
