// Random commands on values of every type, with a liking for edge cases: wrong types, wrong
// arities, clashing options, odd numbers, empty and missing keys, values just past the compact
// encodings.
#include "conform/commands.hpp"

#include <map>
#include <string>
#include <vector>

#include "conform/dumps.hpp"
#include "sim/redis/text.hpp"

namespace lockstep::conform {

namespace {

const std::map<char, std::vector<const char*>> kWords{
    {'T', {"t1", "t2", "t3"}},
    {'L', {"l1", "l2", "l3"}},
    {'S', {"s1", "s2", "s3"}},
    {'Z', {"z1", "z2", "z3"}},
    {'X', {"x1", "x2"}},
    {'H', {"h1", "h2"}},
    {'K', {"t1", "t2", "l1", "l2", "s1", "s2", "z1", "z2", "x1", "h1", "h2", "none"}},
    {'V',
     {"a", "b", "c", "1", "2", "-7", "3.5", "", "abc", "10", "007", "Abracadabra", "a\377b",
      "sixty-five bytes of text, one more than a listpack's element holds", "9223372036854775807",
      "1e3", "forty-four bytes: the most that embstr holds.", "z"}},
    {'N',
     {"1", "-1", "5", "0", "100", "2.5", "x", "9223372036854775807", "-9223372036854775808",
      "32768", "3000000000"}},
    {'C',
     {"0", "1", "2", "3", "10", "-1", "x", "100", "9223372036854775807", "-9223372036854775808",
      "9223372036854775808", "", "1.0", "7", "15"}},
    {'Q',
     {"0", "1", "-1", "3", "-5", "x", "100", "-100", "-9223372036854775808",
      "9223372036854775807"}},
    {'I',
     {"0", "1", "2", "3", "-1", "-2", "-3", "5", "100", "-100", "x", "9223372036854775807",
      "-9223372036854775808", "8", "20", "+1"}},
    {'R',
     {"0",
      "1",
      "2",
      "3",
      "1.5",
      "-1",
      "-0",
      "inf",
      "-inf",
      "+inf",
      "nan",
      "1e300",
      "1e-300",
      "1e400",
      "0x10",
      "0.1",
      "0.2",
      "0.3",
      "",
      " 1",
      "x",
      "1e17",
      "123456789.123456789",
      "3.0",
      "Infinity",
      "1e-400",
      "-1e400"}},
    {'B', {"0",   "1",    "2",   "3",   "(1", "(2", "(0", "-inf", "+inf", "inf",   "(inf", "(-inf",
           "1.5", "(1.5", "0.3", "nan", "x",  "",   "(",  " 1",   "-1",   "1e300", "((1"}},
    {'M',
     {"-", "+", "[a", "(a", "[b", "(b", "[z", "(", "[", "a", "", "[abc", "-x", "+x", "(1", "[1",
      "[\xFF"}},
    {'O', {"NX", "XX", "GT", "LT", "CH", "INCR", "nx", "ZZ"}},
    {'G', {"WITHSCORES", "LIMIT", "REV", "BYLEX", "BYSCORE", "withscores", "0", "ZZ"}},
    {'A', {"SUM", "MIN", "MAX", "sum", "AVG"}},
    {'P', {"*", "a*", "[a-c]*", "?", "\\*", "*1", "h?", "[^a]*", "", "z*"}},
    {'E', {"1000", "2000", "50000", "700000", "0", "-1", "x", "1.5", "9223372036854775"}},
    {'D', {"1000000", "2500000", "0", "-5", "x", "9223372036854775807"}},
    {'J',
     {"NX", "XX", "GET", "KEEPTTL", "EX", "PX", "EXAT", "PXAT", "PERSIST", "3000", "1500000",
      "4102444800", "4102444800000", "ZZ"}},
    {'W', {"NX", "XX", "GT", "LT", "gt", "ZZ"}},
    {'U', {"0", "1", "2", "0", "1", "16", "-1", "x"}},
    {'F', {"ch1", "ch2", "news", "n?ws", "ch*", "ch[12]"}},
    // Not those with notes or several subcommands (docs/differences.md).
    {'%', {"get",        "GETDEL",    "lmpop",   "zunionstore",     "bitop",  "mset",   "blpop",
           "config|get", "CLIENT|ID", "config|", "object|encoding", "nosuch", "zrange", "expire",
           "publish",    "spublish",  "wait",    "shutdown",        "sync",   "multi",  "hello"}},
    {'=', {"a", "b", "1", "ifeq"}},
    {'Y', {"string", "LIST", "set", "zset", "hash", "stream", "x"}},
};

/// "1 2 3 ..." up to and past the limits of intsets and listpacks; pairs are members or fields.
void append_run(sim::Request& request, Dice& dice, bool pairs) {
  const std::size_t sizes[] = {3, 20, 127, 128, 129, 511, 512, 513};
  const std::size_t size = sizes[dice.below(dice.below(4) == 0 ? 8 : 2)];
  const std::size_t first = dice.below(3) * 100;
  for (std::size_t i = 0; i < size; ++i) {
    request.push_back(std::to_string(first + i));
    if (pairs) request.push_back(std::to_string(i % 7));
  }
}

}  // namespace

Repertoire repertoire_for(sim::ServerVersion version) {
  const bool all = version == sim::ServerVersion::redis_7_0;
  Repertoire repertoire;
  repertoire.functions = all;
  for (const Family& family : kFamilies)
    if (all || family.of_locks) repertoire.families.push_back(&family);
  for (const Family& family : kConnectionFamilies)
    if (all || family.of_locks) repertoire.connection_families.push_back(&family);
  return repertoire;
}

const char* random_word(char letter, Dice& dice) { return dice.of(kWords.at(letter)); }

void damage(sim::Request& request, Dice& dice) {
  const std::size_t at = 1 + dice.below(request.size());
  const auto here = request.begin() + static_cast<std::ptrdiff_t>(at);
  const std::vector<const char*> words{
      "x",  "0",  "-1", "",   "WITHSCORES",          "LIMIT", "COUNT", "NX", "STORE", "s1",
      "z1", "l1", "h1", "t1", "9223372036854775808", "GET"};
  switch (dice.below(4)) {
    case 0:
      if (at < request.size()) request.erase(here);
      break;
    case 1:
      request.insert(here, dice.of(words));
      break;
    case 2:
      if (at < request.size()) request[at] = dice.of(words);
      break;
    default:
      if (at < request.size()) request.insert(here, std::string(request[at]));
  }
}

sim::Request random_command(const Family& family, Dice& dice) {
  sim::Request request;
  for (const std::string& word : sim::split_line(dice.of(family.templates))) {
    if (word == "#" || word == "$") {
      append_run(request, dice, word == "$");
      continue;
    }
    if (word == "@") {
      request.push_back(random_dump(dice));
      continue;
    }
    if (word.size() > 1 && (word.ends_with("_V") || word.ends_with(">V"))) {
      request.push_back(word.substr(0, word.size() - 1) + random_word('V', dice));
    } else if (word.size() == 1 && kWords.contains(word[0])) {
      const bool key = std::string("TLSZXH").find(word[0]) != std::string::npos;
      request.emplace_back(random_word(key && dice.below(40) == 0 ? 'K' : word[0], dice));
    } else {
      request.push_back(word);
    }
  }
  if (request[0][0] != '!' && dice.below(25) == 0) damage(request, dice);
  return request;
}

}  // namespace lockstep::conform
