// The fake node and a real redis-server side by side: the same commands go to both, replies and
// contents are compared.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"
#include "sim/execute.hpp"
#include "sim/script_vm.hpp"
#include "tests/support/redis_server.hpp"

namespace lockstep::test {

/// Splits a line into arguments: blanks part them; "..." and '...' quote; \n \r \t \0 \\ \" \xHH
/// inside "...".
inline sim::Request split(std::string_view line) {
  sim::Request request;
  std::size_t at = 0;
  const auto hex = [](char c) {
    return static_cast<int>(std::string_view("0123456789abcdef").find(c));
  };
  while (true) {
    while (at < line.size() && line[at] == ' ') ++at;
    if (at >= line.size()) return request;
    std::string& word = request.emplace_back();
    const char quote = line[at] == '"' || line[at] == '\'' ? line[at++] : ' ';
    while (at < line.size() && line[at] != quote) {
      char c = line[at++];
      if (quote == '"' && c == '\\' && at < line.size()) {
        c = line[at++];
        if (c == 'x') {
          c = static_cast<char>(hex(line[at]) * 16 + hex(line[at + 1]));
          at += 2;
        } else if (const auto named = std::string_view("nrt0").find(c);
                   named != std::string_view::npos) {
          c = "\n\r\t\0"[named];
        }
      }
      word += c;
    }
    ++at;
  }
}

/// A reply as one line, for comparing and showing.
inline std::string show(const sim::Reply& reply) {
  using Kind = sim::Reply::Kind;
  std::string text;
  switch (reply.kind) {
    case Kind::null:
      return "(nil)";
    case Kind::status:
      return text.append("+").append(reply.text);
    case Kind::error:
      return text.append("-").append(reply.text);
    case Kind::integer:
      return text.append(":").append(std::to_string(reply.integer));
    case Kind::bulk:
      return text.append("'").append(reply.text).append("'");
    case Kind::array:
      break;
  }
  for (const sim::Reply& item : reply.items) {
    text.append(text.empty() ? "[" : " ").append(show(item));
  }
  return text.empty() ? "[]" : text.append("]");
}

inline std::string show(const sim::Request& request) {
  std::string text;
  for (const std::string& argument : request) {
    text.append(text.empty() ? "" : " ").append(argument);
  }
  return text;
}

class Twin {
 public:
  /// Runs one request on both; empty if they agree, else what each said. The fake's clock is the
  /// machine's.
  std::string run(const sim::Request& request) {
    const std::string real = show(server_.execute(request));
    const std::string fake = show(fake_execute(request));
    if (alike(request, real, fake)) return "";
    return show(request) + "\n  redis: " + real + "\n  fake:  " + fake;
  }

  /// Compares everything that both hold: types, values, expiries; empty if equal.
  std::string compare_contents() {
    std::string differences = run({"DBSIZE"});
    sim::Reply names = server_.execute({"KEYS", "*"});
    for (const sim::Reply& name : names.items) differences += compare_key(name.text);
    return differences;
  }

  void flush() {
    server_.execute({"FLUSHALL"});
    server_.execute({"SCRIPT", "FLUSH"});
    keyspace = sim::Keyspace{};
  }

  sim::Reply fake_execute(const sim::Request& request) {
    execution.now = now();
    execution.scripts = &vm;
    try {
      return sim::execute(keyspace, request, execution);
    } catch (const sim::BadInput& bad) {
      return sim::Reply::error(std::string("BADINPUT ") + bad.what());
    }
  }

  sim::Keyspace keyspace;
  sim::ScriptVm vm;
  sim::Execution execution{};

 private:
  static sim::WallTime now() {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
  }

  std::string compare_key(const std::string& key) {
    std::string differences = run({"TYPE", key}) + run({"PEXPIRETIME", key});
    const bool hash = show(server_.execute({"TYPE", key})) == "+hash";
    return differences + (hash ? run({"HGETALL", key}) : run({"GET", key}));
  }

  /// Numbers that follow the clock may differ by what passes between the two executions.
  static bool alike(const sim::Request& request, const std::string& real, const std::string& fake) {
    if (real == fake) return true;
    std::string name = request[0];
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(toupper(c)); });
    if (name == "KEYS") return sorted(real) == sorted(fake);
    const bool timed =
        name == "PTTL" || name == "PEXPIRETIME" || name == "TTL" || name == "EXPIRETIME";
    if (!timed || real[0] != ':' || fake[0] != ':') return false;
    const long long difference = std::atoll(real.c_str() + 1) - std::atoll(fake.c_str() + 1);
    return std::llabs(difference) <= (name[0] == 'P' ? 500 : 1);
  }
  static std::string sorted(std::string text) {
    std::ranges::sort(text);
    return text;
  }

  RedisServer server_;
};

}  // namespace lockstep::test
