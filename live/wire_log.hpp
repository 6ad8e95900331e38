// What clients have really sent, as a server's MONITOR prints it (Redis 7.0 replication.c
// replicationFeedMonitors, sds.c sdscatrepr).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/request.hpp"

namespace lockstep::live {

/// One line: a request that the server executed. What scripts do is not among them.
struct WireRequest {
  std::size_t line = 0;      ///< in the log, from 1
  std::int64_t time_us = 0;  ///< Unix time
  int database = 0;
  std::string connection;  ///< the client's address
  sim::Request request;
};

/// Reads a log. Throws BadInput "FILE:LINE: ..." for a line that MONITOR does not print, and for a
/// log without any request.
std::vector<WireRequest> read_wire_log(std::string_view text, const std::string& file);

}  // namespace lockstep::live
