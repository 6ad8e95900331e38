// Starts and stops our own redis-server; see the header.
#include "live/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "live/real_server.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

constexpr auto kMostStarting = std::chrono::seconds(20);
constexpr unsigned kMostPorts = 12;  // a cluster's node needs one that is 10000 more, too
constexpr auto kBetweenTries = std::chrono::milliseconds(5);

/// The server ended before it answered.
class Ended : public sim::BadInput {
 public:
  using sim::BadInput::BadInput;
};

/// A port of this machine that nothing listens on at this moment.
int free_loopback_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(socket, generic, size) == 0 && getsockname(socket, generic, &size) == 0;
  ::close(socket);
  if (!bound) throw sim::BadInput("no free port for a redis-server on 127.0.0.1");
  return ntohs(address.sin_port);
}

/// Whether it is the one that was started: another one may have taken the port just before it.
bool is_process(Connection& server, pid_t pid) {
  return info_field(server.execute({"INFO", "server"}).text, "process_id") == std::to_string(pid);
}

}  // namespace

Server::Server(sim::Persistence persistence, std::vector<std::string> options, std::string program)
    : persistence_(persistence), options_(std::move(options)), program_(std::move(program)) {
  address_.host = "127.0.0.1";
  for (unsigned left = kMostPorts; pid_ < 0; --left) {
    address_.port = free_loopback_port();
    try {
      start();
    } catch (const Ended&) {  // somebody else may have taken the port in the meantime
      if (left == 1) throw;
    }
  }
}

Server::~Server() { crash(); }

void Server::crash() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Server::start() {
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
  const bool appends =
      persistence_ != sim::Persistence::none && persistence_ != sim::Persistence::rdb;
  // One that saves does so at FLUSHALL as well; not by itself as long as anybody looks.
  const char* const saves = persistence_ == sim::Persistence::rdb ? "864000 1000000" : "";
  std::vector<std::string> words{program_,
                                 "--port",
                                 std::to_string(address_.port),
                                 "--bind",
                                 address_.host,
                                 "--dir",
                                 folder_.path(),
                                 "--save",
                                 saves,
                                 "--appendonly",
                                 appends ? "yes" : "no",
                                 "--appendfsync",
                                 "always"};
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(program_.c_str(), arguments.data());
  _exit(127);
}

void Server::await_answer() {
  const auto latest = std::chrono::steady_clock::now() + kMostStarting;
  while (std::chrono::steady_clock::now() < latest) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        throw sim::BadInput(
            program_ +
            " is not installed: install it, or name a server with --redis redis://HOST:PORT");
      throw Ended(program_ + " does not start");
    }
    try {
      Connection server(address_);
      if (server.serves() && is_process(server, pid_)) return;
    } catch (const ConnectionBroken&) {
      // not listening yet
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  crash();
  throw sim::BadInput(program_ + " does not answer");
}

void order(Connection& server, const sim::Request& request) {
  const auto reply = server.execute(request);
  if (reply.is_error()) throw sim::BadInput("redis-server: " + reply.text);
}

}  // namespace lockstep::live
