// A client process on its host, driven by hand: what leaves, which timers run, what a crash keeps.
#include "live/host.hpp"

#include <catch2/catch.hpp>

#include "sim/redis/reply.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using sim::Reply;
using std::chrono::milliseconds;
using Kind = sim::Effect::Kind;
using Wait = sim::Wait::Kind;

constexpr std::int64_t kTimeoutMs = 700, kWorkMs = 2000;
constexpr sim::TaskId kMain = 0;

/// Writes down what reaches it; its clock is moved by hand.
class Noted final : public live::Surroundings {
 public:
  live::Clocks clocks() const override {
    return {1'800'000'000'000 + now_ms, milliseconds(now_ms)};
  }
  std::string answer(const sim::Query&) override { return "token" + std::to_string(++tokens); }
  void did(const sim::Effect& effect) override { effects.push_back(effect.kind); }
  void send(const sim::Effect& effect) override {
    CHECK(effect.node == 0);
    CHECK(effects.back() == Kind::send);  // told first
    requests.push_back(effect.request);
  }
  void send_to_resource(sim::TaskId, const sim::Request& request,
                        live::Resource::Basis based_on) override {
    requests.push_back(request);
    basis = based_on;
  }
  void abandon(sim::TaskId task, live::Sent) override { abandoned.push_back(task); }
  void exited() override { has_exited = true; }

  std::int64_t now_ms = 0;
  int tokens = 0;
  bool has_exited = false;
  std::vector<Kind> effects;
  std::vector<sim::Request> requests;
  live::Resource::Basis basis;
  std::vector<sim::TaskId> abandoned;
};

struct Played {
  explicit Played(int rounds = 1)
      : model(test::model({"set-token-lua", 1, rounds, 10'000, kWorkMs})),
        host(*model.program, model.processes.front(), kTimeoutMs, noted) {}

  /// Up to the work: the lock is held, the resource is read.
  void hold() {
    host.begin(kMain);
    host.hear(kMain, 0, Reply::ok());
    host.basis(kMain) = {{"lock", 5}};
    host.hear(kMain, sim::kResource, Reply::ok());
  }

  sim::Model model;
  Noted noted;
  live::Host host;
};

TEST_CASE("A request leaves with a timeout, one to the resource without") {
  Played played;
  played.noted.now_ms = 100;
  played.host.begin(kMain);
  REQUIRE(played.noted.requests.size() == 1);
  CHECK(played.noted.requests.back().at(2) == "token1");
  CHECK(played.host.timers().at(kMain) == milliseconds(100 + kTimeoutMs));
  const auto did = played.host.hear(kMain, 0, Reply::ok());
  CHECK(did.effects.front().kind == Kind::acquired);
  CHECK(played.noted.requests.back().front() == "READ");
  CHECK(played.noted.basis.empty());
  CHECK(played.host.wait_of(kMain)->kind == Wait::replies);
  CHECK(played.host.timers().empty());
}

TEST_CASE("Work is over when its timer is due; a WRITE takes along what was read") {
  Played played;
  played.hold();
  CHECK(played.host.wait_of(kMain)->kind == Wait::work);
  played.noted.now_ms = kWorkMs - 1;
  CHECK_FALSE(played.host.due());
  played.noted.now_ms = kWorkMs;
  REQUIRE(played.host.due() == kMain);
  played.host.fire_timer(kMain);
  CHECK(played.noted.requests.back().front() == "WRITE");
  CHECK(played.noted.basis == live::Resource::Basis{{"lock", 5}});
  CHECK(played.host.basis(kMain).empty());
  CHECK(played.noted.abandoned.empty());
}

TEST_CASE("A task that gives up waiting hears nothing more of what it has sent") {
  Played played;
  played.host.begin(kMain);
  played.noted.now_ms = kTimeoutMs;
  REQUIRE(played.host.due() == kMain);
  const auto did = played.host.fire_timer(kMain);
  CHECK(played.noted.abandoned == std::vector{kMain});
  REQUIRE_FALSE(did.effects.empty());
  CHECK(did.effects.back().kind == Kind::failed);
}

TEST_CASE("A crash takes memory, timers and what was read; not the rounds") {
  Played played(2);
  played.hold();
  played.host.basis(kMain) = {{"lock", 7}};
  played.host.crash();
  CHECK(played.host.crashed());
  CHECK(played.host.waits().empty());
  CHECK(played.host.timers().empty());
  CHECK_FALSE(played.host.wait_of(kMain));
  played.host.begin(kMain);
  CHECK_FALSE(played.host.crashed());
  CHECK(played.host.basis(kMain).empty());
  CHECK(played.noted.requests.back().at(2) == "token2");
  played.host.hear(kMain, 0, Reply::null());  // refused: the second round is over
  CHECK(played.host.wait_of(kMain)->kind == Wait::done);
}

}  // namespace
}  // namespace lockstep::tests
