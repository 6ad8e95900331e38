// A redis-server of our own for one live run: on a free loopback port, its files in a folder of its
// own, stopped by its process id, gone without a trace.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/connection.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

class Server {
 public:
  /// Starts it and waits until it answers. Throws BadInput if redis-server is not installed or does
  /// not start.
  /// `options` are given to redis-server after our own ones. `program`: another server's.
  explicit Server(sim::Persistence persistence, std::vector<std::string> options = {},
                  std::string program = "redis-server");
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Address& address() const { return address_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// The process dies (SIGKILL), the machine survives: what it wrote to its files stays.
  void crash();
  /// Starts it again on the same files.
  void start();

 private:
  void await_answer();
  [[noreturn]] void become_server() const;

  sim::Persistence persistence_;
  std::vector<std::string> options_;
  std::string program_;
  sim::TemporaryFolder folder_;
  Address address_;
  pid_t pid_ = -1;
};

/// What one of our own servers is told; BadInput if it does not do it: it is no Redis 7.0.
void order(Connection& server, const sim::Request& request);

}  // namespace lockstep::live
