// The text of redis-cli 7.0.15, as it was seen there.
#include "sim/redis/text.hpp"

#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"

namespace {

using lockstep::sim::Reply;
using lockstep::sim::Request;
using namespace lockstep::sim;

TEST_CASE("a line is split as redis-cli splits it") {
  CHECK(split_line("  set  a\tb ") == Request{"set", "a", "b"});
  CHECK(split_line("set a \"x\\x01\\n\\\"y\"") == Request{"set", "a", "x\x01\n\"y"});
  CHECK(split_line("echo \"\\xZZ\\q\\a\"") == Request{"echo", "xZZq\a"});
  CHECK(split_line("set a 'it\\'s \\n'") == Request{"set", "a", "it's \\n"});
  CHECK(split_line("set \"\" ''") == Request{"set", "", ""});
  CHECK(split_line("").empty());
  for (const char* bad : {"set b \"x\"y", "set b \"x", "set b 'x", "set b 'x'y"}) {
    INFO(bad);
    CHECK_THROWS_AS(split_line(bad), BadInput);
  }
}

TEST_CASE("a request's line is read back as the same request") {
  const Request request{"EVAL", "return 'a\nb'", "", "\xFF\x00 \"\\", "plain"};
  CHECK(split_line(line_of(request)) == request);
}

TEST_CASE("replies are shown as redis-cli shows them") {
  CHECK(shown(Reply::bulk("x\x01\xc3\xa4")) == R"("x\x01\xc3\xa4")");
  CHECK(shown(Reply::null()) == "(nil)");
  CHECK(shown(Reply::error("ERR no")) == "(error) ERR no");
  const auto nested = Reply::array({Reply::number(1),
                                    Reply::array({Reply::number(2), Reply::array({}), Reply::ok()}),
                                    Reply::array({})});
  CHECK(shown(nested) ==
        "1) (integer) 1\n2) 1) (integer) 2\n   2) (empty array)\n   3) OK\n3) (empty array)");
  CHECK(shown(Reply::array(std::vector<Reply>(10, Reply::null()))).starts_with(" 1) (nil)\n 2)"));
}

}  // namespace
