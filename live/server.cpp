// Starts and stops our own redis-server; see the header.
#include "live/server.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "live/connection.hpp"
#include "sim/error.hpp"

namespace fs = std::filesystem;

namespace lockstep::live {

namespace {

constexpr auto kMostStarting = std::chrono::seconds(20);
constexpr auto kBetweenTries = std::chrono::milliseconds(5);

fs::path fresh_folder() {
  auto name = (fs::temp_directory_path() / "lockstep-live-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw sim::BadInput("no folder for a redis-server can be made in " +
                        fs::temp_directory_path().string());
  return name;
}

}  // namespace

Server::Server(sim::Persistence persistence) : persistence_(persistence), folder_(fresh_folder()) {
  address_.socket = (folder_ / "redis.sock").string();
  try {
    start();
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

Server::~Server() {
  crash();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Server::crash() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Server::start() {
  std::error_code ignored;
  fs::remove(address_.socket, ignored);  // of a server that crashed
  pid_ = fork();
  if (pid_ < 0) throw sim::BadInput("no process for a redis-server can be made");
  if (pid_ == 0) become_server();
  await_answer();
}

/// In the child. Its own session keeps a Ctrl-C in the terminal from it; it dies with us.
/// The append-only file is written before a reply leaves only with `always`: `everysec` may put a
/// write off while an fsync is under way, and then a crash of the process would lose it.
void Server::become_server() const {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  const bool appends = persistence_ == sim::Persistence::aof_everysec ||
                       persistence_ == sim::Persistence::aof_always;
  execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", address_.socket.c_str(),
         "--dir", folder_.c_str(), "--save", "", "--appendonly", appends ? "yes" : "no",
         "--appendfsync", "always", static_cast<char*>(nullptr));
  _exit(127);
}

void Server::await_answer() {
  const auto latest = std::chrono::steady_clock::now() + kMostStarting;
  while (std::chrono::steady_clock::now() < latest) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      throw sim::BadInput(WIFEXITED(status) && WEXITSTATUS(status) == 127
                              ? "redis-server is not installed: install it, or name a server with "
                                "--redis redis://HOST:PORT"
                              : "redis-server does not start");
    }
    try {
      // While it loads its files it answers LOADING.
      if (!Connection(address_).execute({"PING"}).is_error()) return;
    } catch (const ConnectionBroken&) {
      // not listening yet
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  crash();
  throw sim::BadInput("redis-server does not answer");
}

}  // namespace lockstep::live
