// A timer that goes round beside a task which is in the midst of something: when nothing has come
// of it, and when something has.
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

const Observation kOk = reply(Reply::ok(), 1);

/// How many observations at the end only repeat what was before: after `rounds` rounds of the timer
/// that acquire() sets, each of these observations, beside the request that acquire() waits for.
std::size_t repeated_by(const std::string& acquire, int rounds,
                        const std::vector<Observation>& each = {timer(1), kOk}) {
  const Folder folder(lock_with(acquire + " return redis('X') == OK"));
  const Program program(folder.path());
  const ProcessSetup setup = setup_of({lock(), unlock()});
  std::vector<Observation> path{begin()};
  for (int round = 0; round < rounds; ++round) path.insert(path.end(), each.begin(), each.end());
  return program.repeated(setup, program.initial(setup, std::vector{0}), path);
}

/// Of a timer whose function has this body, after two rounds.
std::size_t repeated(const std::string& before, const std::string& body) {
  return repeated_by(before + " every(5, function() " + body + " end)", 2);
}

}  // namespace

TEST_CASE("a renewal that comes to the same changes nothing") {
  CHECK(repeated("", "return redis('RENEW') == OK") == 2);
  CHECK(repeated("local me = {}", "me.renewed = redis('RENEW') == OK") == 2);
  CHECK(repeated("", "self.hold = { at = { redis('RENEW') } }") == 2);
}

TEST_CASE("a timer that is set anew in each round has the number of the one before the last") {
  const std::string renewed =
      "self.last = every(50, function() end)"
      "every(5, function() redis('RENEW') stop(self.last) self.last = every(50, function() end) "
      "end)";
  const std::vector<Observation> round{timer(2), reply(Reply::ok(), 2)};
  CHECK(repeated_by(renewed, 3, round) == 0);
  CHECK(repeated_by(renewed, 4, round) == 4);
}

TEST_CASE("once is not again") {
  CHECK(repeated_by("every(5, function() redis('RENEW') end)", 1) == 0);
  // In the midst of a round, and after one that was answered otherwise.
  CHECK(repeated_by("every(5, function() redis('A') redis('B') end)", 2) == 0);
  CHECK(repeated_by("every(5, function() redis('A') redis('B') end)", 2, {timer(1), kOk, kOk}) ==
        3);
  const Observation other = reply(Reply::number(1), 1);
  CHECK(repeated_by("every(5, function() redis('A') end)", 1, {timer(1), kOk, timer(1), other}) ==
        0);
}

TEST_CASE("what a timer counts, keeps or lets go on is another state") {
  CHECK(repeated("self.n = 0", "redis('A') self.n = self.n + 1") == 0);
  CHECK(repeated("self.process.n = 0", "redis('A') self.process.n = self.process.n + 1") == 0);
  CHECK(repeated("local n = 0", "redis('A') n = n + 1") == 0);
  CHECK(repeated("local t = {}", "redis('A') t[#t + 1] = 1") == 0);
  CHECK(repeated("local s = semaphore(0)", "redis('A') s:release()") == 0);
  CHECK(repeated("", "redis('A') self.at = now()") == 0);
  CHECK(repeated("", "redis('A') now()") == 0);
  CHECK(repeated("", "redis('A') spawn(sleep, 100)") == 0);
  CHECK(repeated("local m, n = mutex(), 0", "redis('A') if n < 2 then n = n + 1 m:lock() end") ==
        0);
}

TEST_CASE("what comes back after two rounds is the same after four") {
  const std::string odd = "every(5, function() redis('A') self.odd = not self.odd end)";
  CHECK(repeated_by(odd, 2) == 0);
  CHECK(repeated_by(odd, 3) == 0);
  CHECK(repeated_by(odd, 4) == 4);
  const std::string swap =
      "self.a, self.b = now(), now() "
      "every(5, function() redis('A') self.a, self.b = self.b, self.a end)";
  CHECK(repeated_by(swap, 2) == 0);
  CHECK(repeated_by(swap, 4) == 4);
}

TEST_CASE("what gets no answer again and again has got none") {
  const std::string tries = "every(5, function() pcall(redis, 'A') end)";
  CHECK(repeated_by(tries, 2, {timer(1), broken(1)}) == 2);
  CHECK(repeated_by(tries, 1, {timer(1), kOk, timer(1), broken(1)}) == 0);
}

TEST_CASE("another task that is in the midst of something is not the one before") {
  const std::string anew =
      "every(5, function() if self.t then stop(self.t) end "
      "self.t = spawn(function() redis('B') end) end)";
  CHECK(repeated_by(anew, 3, {timer(1), run(2), timer(1), run(3)}) == 0);
}

TEST_CASE("a variable of a function under way is not one that only has the same value") {
  // Two calls of one function, each with a variable of its own, which what it leaves can change.
  const auto after = [](const std::string& round) {
    const Folder folder(lock_with(R"(
      local mine = 1
      self.of = self.of or {}
      self.of[task_id() + 1] = function() mine = mine + 1 return mine end
      if task_id() == 0 then
        every(5, function() redis('A') )" +
                                  round + R"( end)
      end
      redis('X')
      return mine == 1)"));
    const Program program(folder.path());
    const ProcessSetup setup = setup_of({lock(), unlock()}, 1, 2);
    std::vector<Observation> path{begin(0), begin(1)};
    for (int i = 0; i < 4; ++i) path.insert(path.end(), {timer(2), reply(Reply::ok(), 2)});
    return program.repeated(setup, program.initial(setup, std::vector{0, 0}), path);
  };
  CHECK(after("") == 2);
  CHECK(after("self.of[1], self.of[2] = self.of[2], self.of[1]") == 4);
  CHECK(after("self.of[1], self.of[2] = self.of[1], self.of[1]") == 2);
}

TEST_CASE("what is no plain data cannot be compared") {
  const std::string timer = "every(5, function() redis('A') end) ";
  CHECK(repeated_by(timer, 2) == 2);
  CHECK(repeated_by(timer + "for word in string.gmatch('a b', '%a') do redis('W', word) end", 2) ==
        0);
}
