// Steps that are cut short: after a clock reading, and between the requests of one call.
#include "sim/client/observation.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

struct Cutting {
  Folder folder;
  Client client;
  explicit Cutting(const std::string& acquire)
      : folder(lock_with(acquire)), client(folder.path(), setup()) {}
  static ProcessSetup setup() {
    ProcessSetup setup = setup_of({lock(), unlock()});
    setup.nodes = 3;
    return setup;
  }
  const Step& feed(Observation observation, std::uint16_t cut) {
    observation.cut = cut;
    return client.feed(std::move(observation));
  }
};

}  // namespace

TEST_CASE("a step can be cut after each clock reading, and goes on behind it") {
  const std::string body =
      "local a = now() local b = now() log('later') redis('GET', 'k') return b >= a";
  Cutting whole(body);
  CHECK(whole.feed(begin(), 0).cuts == 2);
  CHECK(whole.client.step().cut == Cut::none);

  Cutting first(body);
  CHECK(told(first.feed(begin(), 1)) == "instant wall");
  CHECK(first.client.step().cut == Cut::clock);
  CHECK(waits(first.client.step()) == "0 interrupted fresh");
  CHECK(first.client.step().tasks[0].in_acquire);
  CHECK(told(first.feed(run(), 0)) == "instant wall; log later; send 0 GET k");
  CHECK(first.client.step().cuts == 1);

  Cutting both(body);
  both.feed(begin(), 1);
  CHECK(told(both.feed(run(), 1)) == "instant wall");
  CHECK(told(both.feed(run(), 0)) == "log later; send 0 GET k");

  Cutting second(body);
  CHECK(told(second.feed(begin(), 2)) == "instant wall; instant wall");
  CHECK(second.client.step().cut == Cut::clock);

  Cutting none(body);
  CHECK(told(none.feed(begin(), 3)) == "instant wall; instant wall; log later; send 0 GET k");
  CHECK(none.client.step().cut == Cut::none);
}

TEST_CASE("a call can be cut between its requests: the rest leaves later, with its timeout") {
  const std::string body =
      "local t = monotonic() call_all { timeout_ms = 50, 'SET', 'k', 1 } return true";
  Cutting cut(body);
  CHECK(told(cut.feed(begin(), 2)) == "instant monotonic; send 0 SET k 1");
  CHECK(cut.client.step().cut == Cut::request);
  CHECK(waits(cut.client.step()) == "0 interrupted fresh");
  CHECK(told(cut.feed(run(), 1)) == "send 1 SET k 1");
  CHECK(cut.client.step().cut == Cut::request);
  CHECK(told(cut.feed(run(), 0)) == "send 2 SET k 1");
  CHECK(cut.client.step().cuts == 0);
  CHECK(waits(cut.client.step()) == "0 replies 50 fresh");
  cut.feed(reply(Reply::ok(), 0, 1), 0);
  cut.feed(reply(Reply::ok(), 0, 0), 0);
  CHECK(told(cut.feed(reply(Reply::ok(), 0, 2), 0)).starts_with("acquired 0"));
}

TEST_CASE("a step is cut behind a pcall, and not where the program cannot be suspended") {
  Cutting caught("local _, t = pcall(now) redis('GET', 'k') return t ~= nil");
  CHECK(told(caught.feed(begin(), 1)) == "instant wall");
  CHECK(told(caught.feed(run(), 0)) == "send 0 GET k");
  Cutting sorted(
      "local t = { 2, 1 } table.sort(t, function(a, b) now() return a < b end) redis('GET', 'k')");
  CHECK(sorted.feed(begin(), 1).cut == Cut::none);
}
