// The shipped protocols' happy paths: the requests are exactly the article's.
#include "sim/redis/reply.hpp"
#include "tests/sim/client/program_fixture.hpp"

using namespace lockstep::sim;
using namespace lockstep::sim::program_test;

namespace {

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "protocols" / name;
}

Client client_of(const std::string& name) {
  return Client(shipped(name), setup_of({lock(), work(3000), unlock()}));
}

/// From the resource's first answer to the call of release().
void do_work(Client& client, const std::string& fence, const std::string& release) {
  CHECK(waits(client.feed(accepted())) == "0 work 3000 fresh");
  CHECK(told(client.feed(timer())) == "send resource WRITE " + fence + " lock");
  CHECK(told(client.feed(accepted())) == "releasing 0; " + release);
}

void end(Client& client, Reply last, const std::string& told_so) {
  CHECK(told(client.feed(reply(std::move(last)))) == told_so);
  CHECK(waits(client.step()) == "0 done fresh");
}

}  // namespace

TEST_CASE("exists-set") {
  Client client = client_of("exists-set");
  CHECK(told(client.feed(begin())) == "send 0 EXISTS lock");
  CHECK(told(client.feed(reply(Reply::number(0)))) == "send 0 SET lock 1");
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 DEL lock");
  end(client, Reply::number(1), "released 0 ok");
}

TEST_CASE("exists-set gives up when the key is there") {
  Client client = client_of("exists-set");
  client.feed(begin());
  end(client, Reply::number(1), "refused 0");
}

TEST_CASE("setnx") {
  Client client = client_of("setnx");
  CHECK(told(client.feed(begin())) == "send 0 SETNX lock 1");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 DEL lock");
  end(client, Reply::number(0), "released 0 no");
}

TEST_CASE("setnx-expire") {
  Client client = client_of("setnx-expire");
  CHECK(told(client.feed(begin())) == "send 0 SETNX lock 1");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "send 0 EXPIRE lock 10");
  CHECK(told(client.feed(reply(Reply::number(1)))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 DEL lock");
  end(client, Reply::number(1), "released 0 ok");
}

TEST_CASE("set-ex-nx") {
  Client client = client_of("set-ex-nx");
  CHECK(told(client.feed(begin())) == "send 0 SET lock 1 EX 10 NX");
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 DEL lock");
  end(client, Reply::number(1), "released 0 ok");
}

TEST_CASE("set-token-get-del") {
  Client client = client_of("set-token-get-del");
  CHECK(told(client.feed(begin())) == "send 0 SET lock A.1 EX 10 NX");
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 GET lock");
  CHECK(told(client.feed(reply(Reply::bulk(token_text({0, 1}))))) == "send 0 DEL lock");
  end(client, Reply::number(1), "released 0 ok");
}

TEST_CASE("set-token-get-del leaves a lock of another alone") {
  Client client = client_of("set-token-get-del");
  client.feed(begin());
  client.feed(reply(Reply::ok()));
  do_work(client, "", "send 0 GET lock");
  end(client, Reply::bulk(token_text({1, 1})), "released 0 no");
}

namespace {
const std::string kRelease =
    "if redis.call(\"get\",KEYS[1]) == ARGV[1]\nthen\n    return "
    "redis.call(\"del\",KEYS[1])\nelse\n    return 0\nend\n";
}

TEST_CASE("set-token-lua") {
  Client client = client_of("set-token-lua");
  CHECK(told(client.feed(begin())) == "send 0 SET lock A.1 EX 10 NX");
  CHECK(told(client.feed(reply(Reply::ok()))) == "acquired 0; send resource READ  lock");
  do_work(client, "", "send 0 EVAL " + kRelease + " 1 lock A.1");
  end(client, Reply::number(1), "released 0 ok");
  CHECK(client.program().script_name(kRelease) == "release.lua");
  CHECK(client.program().script_name("other").empty());
}

TEST_CASE("set-token-lua refused") {
  Client client = client_of("set-token-lua");
  client.feed(begin());
  end(client, Reply::null(), "refused 0");
}

TEST_CASE("fencing") {
  Client client = client_of("fencing");
  const std::string sent = told(client.feed(begin()));
  CHECK(sent.starts_with("send 0 EVAL "));
  CHECK(sent.ends_with(" 2 lock lock:fence A.1 10000"));
  CHECK(told(client.feed(reply(Reply::number(7)))) ==
        "acquired 0 fence 7; send resource READ 7 lock");
  do_work(client, "7", "send 0 EVAL " + kRelease + " 1 lock A.1");
  end(client, Reply::number(1), "released 0 ok");
  CHECK(client.program().permanent_keys("lock") == std::vector<std::string>{"lock:fence"});
  CHECK(client.program().lease_keys("lock") == std::vector<std::string>{"lock"});
}

TEST_CASE("fencing refused") {
  Client client = client_of("fencing");
  client.feed(begin());
  end(client, Reply::null(), "refused 0");
}
