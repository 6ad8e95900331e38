// Generated scripts on the script VM, on a real redis-server and on Lua 5.1. A script that differs
// is shrunk. More of them: LOCKSTEP_SCRIPTS=1000000 LOCKSTEP_SEED=7 build/test_dialect
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "conform/likeness.hpp"
#include "conform/lua_generator.hpp"
#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/sim/lua51/oracle.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/reply_text.hpp"
#include "tests/support/setting.hpp"

namespace {

using lockstep::conform::Dice;
using lockstep::conform::Node;
using lockstep::conform::own_part;
using lockstep::conform::random_script;
using lockstep::conform::without_nan_signs;
using lockstep::test::Lua51;
using lockstep::test::setting;
using lockstep::test::show;

using Scripts = std::vector<std::string>;

/// What each script gives on the script VM, in a node of its own.
Scripts on_fake(const Scripts& scripts) {
  lockstep::sim::ScriptVm vm({300'000, 32 << 20});
  Scripts replies;
  for (const std::string& script : scripts) {
    lockstep::sim::Keyspace keyspace;
    lockstep::sim::Execution execution{lockstep::sim::kEpoch, 1, &vm, false};
    try {
      replies.push_back(show(lockstep::sim::execute(keyspace, {"EVAL", script, "0"}, execution)));
    } catch (const lockstep::sim::BadInput& bad) {
      replies.push_back(std::string("refused: ") + bad.what());
    }
  }
  return replies;
}

/// A real one: the replies to scripts.
using Reference = std::function<Scripts(const Scripts&)>;

bool same(const std::string& real, const std::string& fake) {
  return real == fake || without_nan_signs(real) == without_nan_signs(fake);
}

bool refused(const std::string& reply) { return reply.starts_with("refused: "); }

/// The smallest script like `script` that differs, with what both say.
std::string report(const Node& script, const Reference& reference) {
  int left = 4000;
  const Node least = shrunk(script, [&](const std::string& text) {
    if (own_part(text) == text) return false;  // the oracle knows no protected globals
    const std::string fake = on_fake({text})[0];
    return --left > 0 && !refused(fake) && !same(reference({text})[0], fake);
  });
  const std::string text = least.text();
  return own_part(text) + "\n  real: " + reference({text})[0] + "\n  fake: " + on_fake({text})[0];
}

/// Runs generated scripts against a reference; fails with the smallest scripts that differ.
void compare(const Reference& reference, std::uint64_t usually) {
  constexpr std::uint64_t kBatch = 64;
  constexpr int kMostReports = 5;
  const std::uint64_t count = setting("LOCKSTEP_SCRIPTS", usually);
  const std::uint64_t seed = setting("LOCKSTEP_SEED", 1);
  std::uint64_t refusals = 0;
  int reports = 0;
  for (std::uint64_t from = 0; from < count && reports < kMostReports; from += kBatch) {
    std::vector<Node> trees;
    Scripts scripts;
    for (std::uint64_t i = from; i < std::min(count, from + kBatch); ++i) {
      Dice dice((seed * 1'000'000'007 + i) * 0x9E3779B97F4A7C15ULL);
      trees.push_back(random_script(dice));
      scripts.push_back(trees.back().text());
    }
    const Scripts fake = on_fake(scripts);
    // What the VM refuses may not even end in reality.
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      if (refused(fake[i])) scripts[i] = "return 1";
    }
    const Scripts real = reference(scripts);
    for (std::size_t i = 0; i < scripts.size() && reports < kMostReports; ++i) {
      if (refused(fake[i])) ++refusals;
      if (refused(fake[i]) || same(real[i], fake[i])) continue;
      ++reports;
      FAIL_CHECK("script " << from + i << " of seed " << seed << ":\n"
                           << report(trees[i], reference));
    }
  }
  INFO(refusals << " of " << count << " scripts were refused");
  CHECK(refusals < count / 10);
}

TEST_CASE("generated scripts do what they do on redis-server") {
  const lockstep::live::Server redis(lockstep::sim::Persistence::none);
  lockstep::live::Connection server(redis.address());
  compare(
      [&](const Scripts& scripts) {
        std::vector<lockstep::sim::Request> requests;
        for (const std::string& script : scripts) requests.push_back({"EVAL", script, "0"});
        requests.push_back({"SCRIPT", "FLUSH"});
        Scripts replies;
        for (const auto& reply : server.execute_all(requests)) replies.push_back(show(*reply));
        return replies;
      },
      20'000);
}

TEST_CASE("generated scripts do what they do on Lua 5.1") {
  Lua51 lua51(LOCKSTEP_LUA51_ORACLE);
  compare([&](const Scripts& scripts) { return lua51.run_all(scripts); }, 8'000);
}

}  // namespace
