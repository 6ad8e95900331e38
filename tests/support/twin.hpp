// The fake node and a real redis-server side by side: the same commands go to both, replies and
// contents are compared.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conform/dumps.hpp"
#include "conform/likeness.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/set_parts.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/support/redis_server.hpp"

namespace lockstep::test {

using namespace conform;  // NOLINT(google-build-using-namespace): likeness, dice

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
  /// machine's. A request whose outcome is a matter of chance runs on neither; "!EXPIRE key" is a
  /// key that expires.
  std::string run(const sim::Request& request) {
    if (request[0] == "!EXPIRE") return run_out(request.at(1));
    if (is_unspecified(keyspace, request)) return "";
    if (is_scan(request)) return run_scan(request);
    forget_range_errors(request);
    const sim::Keyspace before = keyspace;
    const sim::Reply real = server_.execute(request);
    const sim::Reply fake = fake_execute(request);
    if (dumps_by_value && is_dump(request) && same_values(real, fake)) return "";
    if (is_random(request)) return run_random(before, request, real, fake);
    if (alike(request, show(real), show(fake))) return "";
    const bool unordered = is_unordered(before, request, real);
    if (unordered && in_one_order(real) == in_one_order(fake)) return "";
    return report(request, real, fake);
  }

  /// Compares everything that both hold: types, values, expiries; empty if equal.
  std::string compare_contents() {
    server_.execute(
        {"SCAN", "0", "COUNT", "1000000"});  // removes what is expired; DBSIZE counts it
    sim::Reply names = server_.execute({"KEYS", "*"});
    std::string differences = run({"DBSIZE"});
    for (const sim::Reply& name : names.items) differences += compare_key(name.text);
    return differences;
  }

  /// Each dumps `key` and restores under `to` what the other has dumped; empty if both can.
  std::string exchange_dumps(const std::string& key, const std::string& to) {
    const sim::Reply real = server_.execute({"DUMP", key});
    const sim::Reply fake = fake_execute({"DUMP", key});
    const sim::Request restore{"RESTORE", to, "0", "", "REPLACE"};
    const auto with = [&](const sim::Reply& dump) {
      sim::Request request = restore;
      request[3] = dump.text;
      return request;
    };
    const sim::Reply at_real = server_.execute(with(fake));
    const sim::Reply at_fake = fake_execute(with(real));
    const bool both = at_real == sim::Reply::ok() && at_fake == at_real;
    return both ? "" : report(restore, at_real, at_fake);
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
  bool dumps_by_value = false;  ///< dumps of the same value count as the same

 private:
  static sim::WallTime now() {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
  }

  std::string compare_key(const std::string& key) {
    const std::string differences =
        run({"TYPE", key}) + run({"PEXPIRETIME", key}) + run({"OBJECT", "ENCODING", key});
    const std::string type = server_.execute({"TYPE", key}).text;
    if (type == "hash") return differences + run({"HGETALL", key});
    if (type == "list") return differences + run({"LRANGE", key, "0", "-1"});
    if (type == "set") return differences + run({"SMEMBERS", key});
    if (type == "zset") return differences + run({"ZRANGE", key, "0", "-1", "WITHSCORES"});
    return differences + run({"GET", key});
  }

  static std::string report(const sim::Request& request, const sim::Reply& real,
                            const sim::Reply& fake) {
    return show(request) + "\n  redis: " + show(real) + "\n  fake:  " + show(fake);
  }

  /// SORT takes an ERANGE that some earlier command left in errno for one of its own; a score
  /// that is read without an error clears it.
  void forget_range_errors(const sim::Request& request) {
    const std::string name = sim::lower_case(request[0]);
    if (name == "sort" || name == "sort_ro") server_.execute({"ZADD", "none", "XX", "1", "x"});
  }

  /// Lets a key expire, unseen by any command.
  std::string run_out(const std::string& key) {
    std::string differs = run({"PEXPIRE", key, "1"});
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return differs;
  }

  /// A random choice: replies of the same form, and then what the real one removed is removed
  /// from the fake too.
  std::string run_random(const sim::Keyspace& before, const sim::Request& request,
                         const sim::Reply& real, const sim::Reply& fake) {
    if (without_texts(real) != without_texts(fake)) return report(request, real, fake);
    if (sim::lower_case(request[0]) != "spop" || real.is_error()) return "";
    keyspace = before;
    std::vector<sim::Reply> members = real.items;
    if (real.kind == sim::Reply::Kind::bulk) members = {real};
    for (const sim::Reply& member : members) {
      if (fake_execute({"SREM", request[1], member.text}).integer != 1) {
        return report(request, real, fake);
      }
    }
    const auto rest = keyspace.keys.find(request[1]);
    if (request.size() == 3 && rest != keyspace.keys.end()) {
      sim::repack_after_pop(rest->second, static_cast<std::int64_t>(members.size()));
    }
    return "";
  }

  static bool is_dump(const sim::Request& request) { return sim::lower_case(request[0]) == "dump"; }

  static bool is_scan(const sim::Request& request) {
    const std::size_t at = sim::lower_case(request[0]) == "scan" ? 1 : 2;
    return is_one_of(sim::lower_case(request[0]), {"scan", "hscan", "sscan", "zscan"}) &&
           request.size() > at;
  }

  /// Scans to the end on both; what one call returns is a matter of chance.
  std::string run_scan(const sim::Request& request) {
    const auto whole = [&](auto execute) {
      sim::Request step = request;
      std::string& cursor = step[sim::lower_case(request[0]) == "scan" ? 1 : 2];
      sim::Reply all = sim::Reply::array({});
      do {
        const sim::Reply reply = execute(step);
        if (reply.is_error()) return reply;
        cursor = reply.items.at(0).text;
        const auto& items = reply.items.at(1).items;
        all.items.insert(all.items.end(), items.begin(), items.end());
      } while (cursor != "0");
      return all;
    };
    const bool from_start = request[sim::lower_case(request[0]) == "scan" ? 1 : 2] == "0";
    const sim::Reply real = whole([&](const auto& step) { return server_.execute(step); });
    const sim::Reply fake = whole([&](const auto& step) { return fake_execute(step); });
    if (real == fake || in_one_order(real) == in_one_order(fake)) return "";
    if (!from_start && !real.is_error() && !fake.is_error()) return "";
    return report(request, real, fake);
  }

  /// Numbers that follow the clock may differ by what passes between the two executions.
  static bool alike(const sim::Request& request, const std::string& real, const std::string& fake) {
    if (real == fake) return true;
    std::string name = request[0];
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(toupper(c)); });
    const bool timed =
        name == "PTTL" || name == "PEXPIRETIME" || name == "TTL" || name == "EXPIRETIME";
    if (!timed || real[0] != ':' || fake[0] != ':') return false;
    const long long difference = std::atoll(real.c_str() + 1) - std::atoll(fake.c_str() + 1);
    return std::llabs(difference) <= (name[0] == 'P' ? 500 : 1);
  }

  /// Like the fake it looks into what it restores.
  RedisServer server_{{"--sanitize-dump-payload", "yes"}};
};

}  // namespace lockstep::test
