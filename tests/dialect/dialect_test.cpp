// Generated scripts on the script VM, on a real redis-server and on Lua 5.1. A script that differs
// is shrunk. More of them: LOCKSTEP_SCRIPTS=1000000 LOCKSTEP_SEED=7 build/test_dialect
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/dialect/generator.hpp"
#include "tests/support/lua51.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::test::Dice;
using lockstep::test::Lua51;
using lockstep::test::Node;
using lockstep::test::own_part;
using lockstep::test::show;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The three that have to agree.
class Judges {
 public:
  enum class Verdict { same, refused, differs };

  /// Whether the VM answers as `reference` does; the replies are kept.
  template <class Reference>
  Verdict judge(const std::string& script, Reference&& reference) {
    fake = show(vm_twin.fake_execute({"EVAL", script, "0"}));
    vm_twin.keyspace = {};
    if (fake.starts_with("-BADINPUT")) return Verdict::refused;
    real = reference(script);
    return fake == real ? Verdict::same : Verdict::differs;
  }
  std::string on_redis(const std::string& script) {
    return show(vm_twin.server().execute({"EVAL", script, "0"}));
  }
  std::string on_lua51(const std::string& script) { return lua51.run(script); }

  lockstep::test::Twin vm_twin;
  Lua51 lua51{LOCKSTEP_LUA51_ORACLE};
  std::string fake;
  std::string real;
};

/// Runs generated scripts against one reference; fails with the smallest script that differs.
template <class Reference>
void compare(Judges& judges, Reference reference) {
  const std::uint64_t count = setting("LOCKSTEP_SCRIPTS", 20'000);
  const std::uint64_t seed = setting("LOCKSTEP_SEED", 1);
  std::uint64_t refused = 0;
  int differences = 0;
  for (std::uint64_t i = 0; i < count && differences < 30; ++i) {
    Dice dice(seed * 1'000'000'007 + i);
    const Node script = random_script(dice);
    const auto verdict = judges.judge(script.text(), reference);
    if (verdict == Judges::Verdict::refused) ++refused;
    if (verdict != Judges::Verdict::differs) continue;
    ++differences;
    const Node least = shrunk(script, [&](const std::string& text) {
      return judges.judge(text, reference) == Judges::Verdict::differs;
    });
    judges.judge(least.text(), reference);
    FAIL_CHECK("script " << i << " of seed " << seed << ":\n"
                         << own_part(least.text()) << "\n  real: " << judges.real
                         << "\n  fake: " << judges.fake);
  }
  WARN(count << " scripts, " << refused << " of them refused");
  CHECK(refused < count / 10);
}

TEST_CASE("generated scripts do what they do on redis-server") {
  Judges judges;
  compare(judges, [&](const std::string& script) { return judges.on_redis(script); });
}

TEST_CASE("generated scripts do what they do on Lua 5.1") {
  Judges judges;
  compare(judges, [&](const std::string& script) { return judges.on_lua51(script); });
}

}  // namespace
