// A pause that stops work while another task of the process goes on: the instants at which it has
// to begin are found (docs/semantics.md, section 4; docs/time.md).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "sim/client/program.hpp"
#include "tests/checker/dice.hpp"
#include "tests/checker/random_lock.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;

/// A holder works, and a task beside it turns at `turns_ms`; the pause lets it turn at `turned_ms`
/// and the work end at `ended_ms`, after the work's beginning. It lasts `longest_ms` at most (0: as
/// long as it likes).
struct Split {
  std::int64_t work_ms = 0, turns_ms = 0, turned_ms = 0, ended_ms = 0, longest_ms = 0;

  /// Whether there is a pause that does so: it takes the process from `begins` to `turned_ms`, or,
  /// if the task turns on time, stands somewhere else in the work.
  bool possible() const {
    const std::int64_t lasts = ended_ms - work_ms;
    if (lasts < 0 || turned_ms < turns_ms || turns_ms >= work_ms) return false;
    if (longest_ms > 0 && lasts > longest_ms) return false;
    if (turned_ms == turns_ms) return true;
    const std::int64_t begins = turned_ms - lasts;
    return begins >= 0 && begins <= turns_ms;
  }
};

/// About as often possible as not, often by 1 ms.
Split random_split(test::Dice& dice) {
  Split split;
  split.work_ms = dice.from(300, 3'000);
  split.turns_ms = dice.from(1, split.work_ms - 1);
  split.turned_ms = split.turns_ms + dice.from(1, 2'000);
  const std::int64_t begins = dice.one_in(2)
                                  ? dice.from(-100, split.turns_ms + 100)
                                  : (dice.one_in(2) ? 0 : split.turns_ms) + dice.from(-1, 1);
  split.ended_ms = split.work_ms + split.turned_ms - begins;
  const std::int64_t lasts = split.ended_ms - split.work_ms;
  if (lasts > 1 && dice.one_in(2))
    split.longest_ms = dice.one_in(2) ? lasts + dice.from(-1, 1) : dice.from(1, 2 * lasts);
  return split;
}

/// Says that it was seen as soon as `seen` is true in a client.
const char* const kUnseen = R"lua(
invariant("nothing is seen", function(world)
  for _, client in ipairs(world.clients) do
    for _, lock in pairs(client.locks) do
      if lock.saw then return false end
    end
  end
  return true
end)
)lua";

Verdict verdict_with_pause(const std::string& protocol, sim::Model model) {
  const test::TemporaryProtocol folder("split-work", protocol);
  model.program = std::make_shared<sim::Program>(folder.folder());
  model.properties = {sim::Property::invariant};
  model.budget[static_cast<std::size_t>(sim::Fault::pause)] = 1;
  const auto result = checker::explore(model, {});
  CHECK(result.time_gap == "");
  return result.verdict;
}

sim::ProcessSetup client(std::int64_t work_ms) {
  using Step = sim::WorkStep;
  sim::ProcessSetup setup;
  setup.lock_keys = {work_ms > 0 ? "lock" : "key"};
  setup.lease_ms = 200'000;
  setup.workload = {{Step::Kind::lock, 0, 0}};
  if (work_ms > 0) setup.workload.push_back({Step::Kind::work, 0, work_ms});
  setup.workload.push_back({Step::Kind::unlock, 0, 0});
  return setup;
}

/// The holder itself looks at its clock.
std::string seen_by_holder(const Split& split) {
  return std::string("local Lock = protocol { title = 't', source = 's' }\n") + kUnseen +
         fmt::format(R"lua(
function Lock:acquire()
  self.start = monotonic()
  spawn(function()
    sleep({})
    if monotonic() - self.start == {} then self.turned = true end
  end)
  return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK
end
function Lock:release()
  if self.turned and monotonic() - self.start == {} then self.saw = true end
  redis('DEL', self.key)
  return true
end
return Lock
)lua",
                     split.turns_ms, split.turned_ms, split.ended_ms);
}

/// The holder looks at what is left of a key that somebody else has set, some time before.
std::string seen_on_a_key(const Split& split) {
  const std::int64_t left = split.turned_ms + 100;
  return std::string("local Lock = protocol { title = 't', source = 's' }\n") + kUnseen +
         fmt::format(R"lua(
function Lock:acquire()
  if self.key == 'key' then return redis('SET', 'key', 1, 'PX', {0}) == OK end
  self.start = monotonic()
  if redis('PTTL', 'key') ~= {1} then return false end
  spawn(function()
    sleep({2})
    if redis('PTTL', 'key') == 100 then self.turned = true end
  end)
  return true
end
function Lock:release()
  if self.turned and monotonic() - self.start == {3} then self.saw = true end
  return true
end
return Lock
)lua",
                     left + 50, left, split.turns_ms, split.ended_ms);
}

/// So many random ones, each with what it should come to.
void check_splits(const std::string& seeds, int count, std::string (*protocol)(const Split&),
                  bool sets_key) {
  test::Dice dice(test::seeds_of(seeds, 1).first);
  for (int i = 0; i < count; ++i) {
    Split split = random_split(dice);
    if (sets_key) split.longest_ms = 0;  // else it takes minutes
    CAPTURE(split.work_ms, split.turns_ms, split.turned_ms, split.ended_ms, split.longest_ms);
    sim::Model model;
    model.pause_max_ms = split.longest_ms;
    model.processes = {client(split.work_ms)};
    if (sets_key) model.processes.push_back(client(0));
    CHECK((verdict_with_pause(protocol(split), model) == Verdict::violated) == split.possible());
  }
}

}  // namespace

TEST_CASE("a pause that stops work while a timer goes on begins where both end as they are seen",
          "[many-models]") {
  check_splits("split work", 8, seen_by_holder, false);
}

TEST_CASE("so it does where a key that somebody else has set tells how late it is",
          "[many-models]") {
  check_splits("split work, seen on a key", 3, seen_on_a_key, true);
}
