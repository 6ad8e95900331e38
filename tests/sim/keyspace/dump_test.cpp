// DUMP and RESTORE of random values on the fake node and on a real redis-server: the same bytes
// where the value alone determines them, and what one dumps the other restores. LOCKSTEP_DUMPS sets
// how many.
#include <catch2/catch.hpp>
#include <cstdint>

#include "conform/dice.hpp"
#include "sim/base/little_endian.hpp"
#include "sim/keyspace/dump/rdb.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/text.hpp"
#include "tests/support/setting.hpp"
#include "tests/support/twin.hpp"

namespace {

using namespace lockstep;  // NOLINT(google-build-using-namespace)
using conform::Dice;
using test::Twin;

const std::uint64_t kDumps = test::setting("LOCKSTEP_DUMPS", 6000);

const std::vector<std::size_t> kLengths{0,  1,  2,  4,  10, 11,  12,  19,   20,   21,   25,
                                        40, 63, 64, 65, 80, 127, 300, 1000, 4095, 4096, 8200};
const std::vector<std::size_t> kSizes{1, 2, 3, 5, 20, 127, 128, 129, 200, 511, 512, 513, 600};

std::size_t one_of(const std::vector<std::size_t>& values, Dice& dice) {
  return values[dice.below(values.size())];
}

/// Whole numbers of every width, and what is nearly one.
std::string random_number(Dice& dice) {
  const std::size_t bits = dice.below(64);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bits; ++i) number = number << 1 | dice.below(2);
  if (dice.one_in(3)) number = (std::uint64_t{1} << bits) - dice.below(3);
  const char* before = dice.of({"", "", "", "-", "-", "-", "0", "+", "1."});
  return before + std::to_string(number);
}

/// Bytes out of few or many, in which pieces come again or not.
std::string random_bytes(std::size_t length, Dice& dice) {
  const std::size_t alphabet = one_of({1, 2, 4, 16, 64, 256}, dice);
  const bool repeats = dice.one_in(2);
  std::string bytes;
  while (bytes.size() < length) {
    if (repeats && bytes.size() > 8 && dice.one_in(4)) {
      bytes += bytes.substr(dice.below(bytes.size()), dice.below(300));
    } else {
      bytes += static_cast<char>('0' + dice.below(alphabet));
    }
  }
  bytes.resize(length);
  return bytes;
}

std::string random_text(std::size_t longest, Dice& dice) {
  if (dice.one_in(3)) return random_number(dice);
  return random_bytes(std::min(one_of(kLengths, dice), longest), dice);
}

std::string random_score(Dice& dice) {
  return dice.one_in(2) ? random_number(dice)
                        : dice.of({"0", "-0", "1", "0.1", "1.5", "-2.25", "inf", "-inf", "1e17",
                                   "4611686018427387904", "4611686018427388928", "1e300", "5e-324",
                                   "3.141592653589793", "-1e-7"});
}

/// A command that makes the key k hold a list, set, sorted set or hash.
sim::Request random_value(const std::string& command, Dice& dice) {
  const std::size_t size = one_of(kSizes, dice);
  const std::size_t longest = dice.one_in(2) ? 64 : dice.one_in(4) ? 5000 : 65;
  const bool numbers = dice.one_in(3);
  sim::Request request{command, "k"};
  for (std::size_t i = 0; i < size; ++i) {
    if (command == "ZADD") request.push_back(random_score(dice));
    request.push_back(numbers ? random_number(dice) : random_text(longest, dice));
    if (command == "HSET") request.push_back(random_text(longest, dice));
  }
  return request;
}

/// Whether nothing but the value decides about the bytes of its dump.
bool is_determined(const sim::Entry& entry) {
  const bool hash_table =
      entry.encoding == sim::Encoding::large && (std::holds_alternative<sim::Set>(entry.value) ||
                                                 std::holds_alternative<sim::Hash>(entry.value));
  return !hash_table;
}

/// Each dumps `key` and restores under `to` what the other has dumped.
void exchange_dumps(Twin& twin, const std::string& key, const std::string& to) {
  const auto restoring = [&](const sim::Reply& dump) {
    return sim::Request{"RESTORE", to, "0", dump.text, "REPLACE"};
  };
  const sim::Reply real = twin.real().execute({"DUMP", key});
  const sim::Reply fake = twin.ask_fake({"DUMP", key});
  INFO(sim::shown(real) << "\n" << sim::shown(fake));
  CHECK(twin.real().execute(restoring(fake)) == sim::Reply::ok());
  CHECK(twin.ask_fake(restoring(real)) == sim::Reply::ok());
}

void check_value(Twin& twin, const sim::Request& request) {
  twin.empty();
  if (const auto differs = twin.run(request); !differs.empty()) FAIL_CHECK(differs);
  if (is_determined(twin.fake().keyspace().keys.at("k"))) CHECK(twin.run({"DUMP", "k"}) == "");
  exchange_dumps(twin, "k", "other");
  CHECK(twin.compare_contents() == "");
  exchange_dumps(twin, "other", "k");
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("dumps of strings are redis-server's") {
  Twin twin;
  Dice dice(1);
  for (std::uint64_t i = 0; i < kDumps / 4; ++i) {
    INFO("value " << i);
    const std::size_t length = dice.one_in(30) ? dice.below(70'001) : one_of(kLengths, dice);
    check_value(twin,
                {"SET", "k", dice.one_in(4) ? random_number(dice) : random_bytes(length, dice)});
  }
}

TEST_CASE("dumps of lists, sets, sorted sets and hashes are redis-server's") {
  Twin twin;
  Dice dice(2);
  for (std::uint64_t i = 0; i < kDumps / 10; ++i) {
    INFO("value " << i);
    check_value(twin, random_value(dice.of({"RPUSH", "SADD", "ZADD", "HSET"}), dice));
  }
}

/// A value of a few short parts, whose dump is hardly ever compressed.
sim::Request small_value(Dice& dice) {
  const std::string command = dice.of({"SET", "RPUSH", "SADD", "ZADD", "HSET"});
  const bool numbers = dice.one_in(3);
  sim::Request request{command, "k"};
  for (std::size_t left = command == "SET" ? 1 : 1 + dice.below(5); left > 0; --left) {
    if (command == "ZADD") request.push_back(random_score(dice));
    request.push_back(numbers ? random_number(dice) : random_bytes(dice.below(6), dice));
    if (command == "HSET") request.push_back(random_text(12, dice));
  }
  if (dice.one_in(6)) request.back() = random_bytes(dice.below(100), dice);
  return request;
}

/// Some bytes changed, left out, doubled or moved in from elsewhere.
std::string damaged(std::string bytes, Dice& dice) {
  for (std::size_t times = 1 + dice.below(3); times > 0 && !bytes.empty(); --times) {
    const std::size_t at = dice.below(bytes.size());
    switch (dice.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(dice.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] + (dice.one_in(2) ? 1 : -1));
        break;
      case 2:
        bytes.erase(at, 1 + dice.below(3));
        break;
      case 3:
        bytes.insert(at, bytes.substr(dice.below(bytes.size()), 1 + dice.below(4)));
        break;
      case 4:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice.below(8)));
        break;
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

/// Restores a dump of this body, perhaps a broken one, on both.
void check_restore(Twin& twin, const std::string& body, std::size_t& restored,
                   std::size_t& refused) {
  const std::string dump = sim::with_footer(body);
  const sim::Request request{"RESTORE", "k", "0", dump, "REPLACE"};
  twin.fake().take({});
  const auto reply = twin.ask_fake(request);
  if (reply.text.starts_with("BADINPUT")) return;
  ++(reply.is_error() ? refused : restored);
  twin.empty();
  INFO(sim::quoted(dump));
  CHECK(twin.run(request) == "");
  CHECK(twin.compare_contents() == "");
}

TEST_CASE("broken dumps are refused where redis-server refuses them") {
  constexpr std::size_t kFooter = 10;
  Twin twin;
  Dice dice(3);
  std::size_t restored = 0, refused = 0;
  for (std::uint64_t i = 0; i < kDumps; ++i) {
    twin.fake().take({});
    twin.ask_fake(small_value(dice));
    std::string body = twin.ask_fake({"DUMP", "k"}).text;
    if (body.size() < kFooter) continue;
    body.resize(body.size() - kFooter);
    check_restore(twin, damaged(std::move(body), dice), restored, refused);
  }
  CHECK(restored > kDumps / 6);
  CHECK(refused > kDumps / 6);
}

std::string highest_first(std::string bytes) {
  std::ranges::reverse(bytes);
  return bytes;
}

/// An element of a ziplist without the length of the one before it; a number in any of its forms.
std::string ziplist_element(const std::string& text, Dice& dice) {
  const auto number = text.size() < 10 ? sim::parse_integer(text) : std::nullopt;
  if (number && *number >= 0 && *number <= 12) return {static_cast<char>(0xF1 + *number)};
  if (number && !dice.one_in(4)) {
    const auto bits = static_cast<std::uint64_t>(*number);
    if (sim::fits(*number, 8)) return '\xFE' + sim::little_endian(bits, 1);
    if (sim::fits(*number, 16)) return '\xC0' + sim::little_endian(bits, 2);
    if (sim::fits(*number, 24)) return '\xF0' + sim::little_endian(bits, 3);
    if (sim::fits(*number, 32)) return '\xD0' + sim::little_endian(bits, 4);
    return '\xE0' + sim::little_endian(bits, 8);
  }
  if (text.size() < 64) return static_cast<char>(text.size()) + text;
  if (text.size() < 16384) return highest_first(sim::little_endian(0x4000 | text.size(), 2)) + text;
  return '\x80' + highest_first(sim::little_endian(text.size(), 4)) + text;
}

/// A ziplist as a text of a dump.
std::string dumped_ziplist(const std::vector<std::string>& elements, Dice& dice) {
  std::string inside;
  std::size_t last = 0, place = 10;
  for (const std::string& element : elements) {
    place = 10 + inside.size();
    const std::size_t before = inside.size();
    inside += last < 254 ? sim::little_endian(last, 1) : '\xFE' + sim::little_endian(last, 4);
    inside += ziplist_element(element, dice);
    last = inside.size() - before;
  }
  const std::string ziplist = sim::little_endian(inside.size() + 11, 4) +
                              sim::little_endian(place, 4) +
                              sim::little_endian(elements.size(), 2) + inside + '\xFF';
  return '\x80' + highest_first(sim::little_endian(ziplist.size(), 4)) + ziplist;
}

/// The body of a dump of a list, sorted set or hash, as Redis 3.2 to 6.2 wrote it.
std::string older_body(Dice& dice) {
  constexpr char kTypes[] = {10, 12, 13, 14};
  const char type = kTypes[dice.below(4)];
  std::string body{type};
  const std::size_t pieces = type == 14 ? 1 + dice.below(3) : 1;
  if (type == 14) body += static_cast<char>(pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    std::vector<std::string> elements;
    const std::size_t size = dice.one_in(20) ? 130 : dice.below(6);
    for (std::size_t i = 0; i < size; ++i) {
      elements.push_back(std::to_string(i) + random_text(dice.one_in(10) ? 5000 : 64, dice));
      if (type == 12) elements.push_back(std::to_string(i * i * i * 50) + dice.of({"", ".5"}));
      if (type == 13)
        elements.push_back(dice.one_in(30) ? random_bytes(20'000, dice) : random_number(dice));
    }
    body += dumped_ziplist(elements, dice);
  }
  return body;
}

TEST_CASE("what Redis 3.2 to 6.2 has dumped is restored as redis-server restores it") {
  Twin twin;
  Dice dice(4);
  std::size_t restored = 0, refused = 0;
  for (std::uint64_t i = 0; i < kDumps / 4; ++i)
    check_restore(twin, older_body(dice), restored, refused);
  CHECK(restored > kDumps / 6);
  for (std::uint64_t i = 0; i < kDumps / 2; ++i)
    check_restore(twin, damaged(older_body(dice), dice), restored, refused);
  CHECK(refused > kDumps / 6);
}

}  // namespace
