// The program tests/sim/lua51/oracle/oracle.cpp as a child process: scripts in, replies out.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/sha1.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::test {

class Lua51 {
 public:
  /// Starts the program at `path`.
  explicit Lua51(const char* path) {
    int to_child[2];
    int from_child[2];
    if (pipe(to_child) != 0 || pipe(from_child) != 0) throw std::runtime_error("pipe failed");
    pid_ = fork();
    std::signal(SIGPIPE, SIG_IGN);  // what it died of is told by the missing reply
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      for (const int fd : {to_child[0], to_child[1], from_child[0], from_child[1]}) close(fd);
      execl(path, path, static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    in_ = fdopen(to_child[1], "w");
    out_ = fdopen(from_child[0], "r");
  }
  ~Lua51() {
    fclose(in_);
    fclose(out_);
    waitpid(pid_, nullptr, 0);
  }
  Lua51(const Lua51&) = delete;
  Lua51& operator=(const Lua51&) = delete;

  /// The replies to scripts without keys and arguments, as show() writes them. What the replies
  /// fill has to fit into a pipe.
  std::vector<std::string> run_all(const std::vector<std::string>& scripts) {
    for (const std::string& body : scripts) {
      std::fprintf(in_, "%zu %s\n", body.size(), sim::sha1_hex(body).c_str());
      std::fwrite(body.data(), 1, body.size(), in_);
    }
    std::fflush(in_);
    std::vector<std::string> replies;
    for (const std::string& body : scripts) replies.push_back(reply_to(body));
    return replies;
  }

 private:
  std::string reply_to(const std::string& body) {
    std::size_t length = 0;
    if (std::fscanf(out_, "%zu", &length) != 1 || std::fgetc(out_) != '\n') {
      throw std::runtime_error("the Lua 5.1 oracle has died of: " + body);
    }
    std::string reply(length, '\0');
    if (std::fread(reply.data(), 1, length, out_) != length) {
      throw std::runtime_error("the Lua 5.1 oracle answered half of a reply to: " + body);
    }
    return reply;
  }

  pid_t pid_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
};

}  // namespace lockstep::test
