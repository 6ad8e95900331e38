// Lock tokens: names, recognition inside other bytes, renaming.
#include "sim/base/token.hpp"

#include <catch2/catch.hpp>

using namespace lockstep::sim;

namespace {
std::string cut_piece(std::size_t from, std::size_t count) {
  return token_text({0, 1}).substr(from, count);
}
}  // namespace

TEST_CASE("process names") {
  CHECK(process_name(0) == "A");
  CHECK(process_name(25) == "Z");
  CHECK(process_name(26) == "P26");
}

TEST_CASE("a token's text is found again") {
  for (const Token token :
       {Token{0, 1}, Token{15, 9}, Token{25, 255}, Token{26, 10}, Token{255, 99}}) {
    const TokenScan scan = scan_tokens("x" + token_text(token) + "y");
    CHECK(scan.tokens == std::vector{token});
    CHECK_FALSE(scan.cut);
  }
}

TEST_CASE("tokens are listed once, in order of appearance") {
  const std::string bytes = token_text({1, 2}) + ":" + token_text({0, 1}) + token_text({1, 2});
  CHECK(scan_tokens(bytes).tokens == std::vector{Token{1, 2}, Token{0, 1}});
}

TEST_CASE("a piece of a token is noticed") {
  const std::size_t size = token_text({0, 1}).size();
  for (std::size_t count = 1; count < size; ++count) CHECK(scan_tokens(cut_piece(0, count)).cut);
  for (std::size_t from = 1; from + 2 < size; ++from) CHECK(scan_tokens(cut_piece(from, size)).cut);
  CHECK(scan_tokens(token_text({0, 1}) + cut_piece(0, 4) + "x").cut);
  CHECK(scan_tokens("\xE2\x9F\xA8no token\xE2\x9F\xA9").cut);
  CHECK(scan_tokens("\xE2\x9F\xA8"
                    "A.01\xE2\x9F\xA9")
            .cut);
  CHECK(scan_tokens("\xE2\x9F\xA8"
                    "A.65536\xE2\x9F\xA9")
            .cut);
  CHECK(scan_tokens("\xE2\x9F\xA8P25.1\xE2\x9F\xA9").cut);
  CHECK(scan_tokens("ends in \xE2\x9F").cut);
}

TEST_CASE("other text is no piece of a token") {
  CHECK_FALSE(scan_tokens("").cut);
  CHECK_FALSE(scan_tokens("A.1 plain \xE2\x9F\xB6 \xE2\x82\xAC")
                  .cut);  // an arrow of the same block, a euro sign
}

TEST_CASE("tokens are renamed, everything else stays") {
  const std::string bytes = "a" + token_text({0, 9}) + "\xE2\x9F" + token_text({1, 1}) + "z";
  const auto next = [](Token token) {
    return Token{token.process, static_cast<std::uint8_t>(token.number + 1)};
  };
  CHECK(rename_tokens(bytes, next) ==
        "a" + token_text({0, 10}) + "\xE2\x9F" + token_text({1, 2}) + "z");
}

TEST_CASE("for a person a token has no brackets") {
  CHECK(without_brackets("SET lock " + token_text({0, 1}) + " NX") == "SET lock A.1 NX");
}
