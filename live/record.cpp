// A server that is watched while a command runs; see the header.
#include "live/record.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <optional>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr int kBetweenLooks_ms = 20;  // whether the command has ended

/// MONITOR on a connection of its own, and what it has printed so far.
class Monitor {
 public:
  explicit Monitor(const Address& address) : address_(address), connection_(address) {
    order(connection_, {"MONITOR"});
  }

  /// Waits for more, but not for long.
  void listen() {
    pollfd bytes{connection_.descriptor(), POLLIN, 0};
    const bool readable = poll(&bytes, 1, kBetweenLooks_ms) > 0;
    take(readable);
  }

  /// All that came before this call.
  std::string finish() {
    const std::string mark = "lockstep: the command has ended";
    order_mark(mark);
    while (log_.find(mark) == std::string::npos) listen();
    log_.erase(log_.find(mark));
    log_.erase(log_.rfind('\n') + 1);
    return std::move(log_);
  }

 private:
  void take(bool readable) {
    while (auto line = connection_.receive(readable)) {
      log_ += line->text + '\n';
      readable = false;
    }
  }
  void order_mark(const std::string& mark) const { Connection(address_).execute({"ECHO", mark}); }

  Address address_;
  Connection connection_;
  std::string log_;
};

void put_in(std::string& word, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    for (auto at = word.find(name); at != std::string::npos; at = word.find(name))
      word.replace(at, name.size(), value);
}

/// Our own environment and the server's address.
std::vector<std::string> environment_of(const std::string& host, const std::string& port,
                                        const std::string& url) {
  std::vector<std::string> all;
  for (char** each = environ; *each; ++each)
    if (!std::string_view(*each).starts_with("REDIS_")) all.emplace_back(*each);
  all.push_back("REDIS_HOST=" + host);
  all.push_back("REDIS_PORT=" + port);
  all.push_back("REDIS_URL=" + url);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawned(std::vector<std::string>& command, const Address& address, bool quiet) {
  const auto port = std::to_string(address.port);
  const auto url = fmt::format("redis://{}:{}", address.host, port);
  for (auto& word : command)
    put_in(word, {{"{host}", address.host}, {"{port}", port}, {"{url}", url}});
  auto environment = environment_of(address.host, port, url);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  if (quiet) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command[0].c_str(), &actions, nullptr,
                                  pointers_to(command).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw sim::BadInput(fmt::format("{}: cannot be run: {}", command[0], std::strerror(failed)));
  return child;
}

}  // namespace

Recording record(std::vector<std::string> command, bool quiet) {
  const Server server(sim::Persistence::none);
  Monitor monitor(server.address());
  const pid_t child = spawned(command, server.address(), quiet);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) monitor.listen();
  Recording recording;
  recording.log = monitor.finish();
  recording.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return recording;
}

}  // namespace lockstep::live
