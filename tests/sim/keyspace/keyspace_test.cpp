// The keyspace as a value: expiry to the millisecond, who made what, and the bytes that stand for
// it.
#include "sim/keyspace/keyspace.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/fake_node.hpp"

namespace {

using namespace lockstep::sim;

/// A node whose clock the test moves.
struct MakerNode : lockstep::test::FakeNode {
  Maker maker(const char* key) const { return keyspace.keys.at(key).maker; }
  Maker field_maker(const char* key, const char* field) const {
    return std::get<Hash>(keyspace.keys.at(key).value).at(field).maker;
  }
  std::vector<Maker> element_makers(const char* key) const {
    std::vector<Maker> makers;
    for (const auto& element : std::get<List>(keyspace.keys.at(key).value)) {
      makers.push_back(element.maker);
    }
    return makers;
  }
  template <class Members>  // Set, SortedSet
  Maker member_maker(const char* key, const char* member) const {
    return std::get<Members>(keyspace.keys.at(key).value).at(member).maker;
  }
};

TEST_CASE("a key is readable at its expiry instant and gone a millisecond later") {
  MakerNode node;
  node.run(1, "SET k v PX 10");
  node.now = kEpoch + Duration{10};
  CHECK(node.run(1, "GET k") == Reply::bulk("v"));
  CHECK(node.run(1, "PTTL k") == Reply::number(0));
  CHECK(node.keyspace.find("k", node.now) != nullptr);
  node.now = kEpoch + Duration{11};
  CHECK(node.keyspace.find("k", node.now) == nullptr);
  CHECK(node.run(1, "EXISTS k") == Reply::number(0));
  CHECK(node.keyspace.keys.empty());
}

TEST_CASE("purge drops what is expired and shift_expiry moves every expiry") {
  MakerNode node;
  node.run(1, "SET short v PX 10");
  node.run(1, "SET long v PX 20");
  node.run(1, "SET ever v");
  node.keyspace.purge(kEpoch + Duration{10});
  CHECK(node.keyspace.keys.size() == 3);
  node.keyspace.shift_expiry(Duration{-5});
  node.keyspace.purge(kEpoch + Duration{10});
  CHECK(node.keyspace.keys.size() == 2);
  CHECK(node.keyspace.keys.at("long").expires == kEpoch + Duration{15});
  CHECK(!node.keyspace.keys.at("ever").expires);
}

TEST_CASE("a key's maker is who created or overwrote it") {
  MakerNode node;
  for (const char* write : {"SET k v", "SETEX k 10 v", "PSETEX k 10000 v", "GETSET k v", "MSET k v",
                            "SET k v XX", "SET k v KEEPTTL", "SETRANGE k 0 v", "APPEND k v"}) {
    INFO(write);
    node.keyspace.keys.clear();
    node.run(1, "SET k old");
    node.run(2, write);
    CHECK(node.maker("k") == 2);
  }
  for (const char* create : {"SETNX n 1", "MSETNX n 1", "SET n v NX"}) {
    INFO(create);
    node.keyspace.keys.clear();
    node.run(3, create);
    CHECK(node.maker("n") == 3);
  }
}

TEST_CASE("who counts where nothing was has a share, and the number has no maker") {
  MakerNode node;
  const std::pair<const char*, std::int64_t> counts[] = {
      {"INCR n", 1}, {"DECRBY n 2", -2}, {"INCRBYFLOAT n 1", 1}};
  for (const auto& [count, share] : counts) {
    INFO(count);
    node.keyspace.keys.clear();
    node.run(3, count);
    CHECK(node.maker("n") == 0);
    CHECK(node.keyspace.keys.at("n").shares == Shares{{3, share}});
  }
}

TEST_CASE("what is written where nothing was is a piece, and the string has no maker") {
  MakerNode node;
  node.run(1, "SETRANGE k 1 xy");
  node.run(2, "SETBIT k 0 1");
  CHECK(node.maker("k") == 0);
  CHECK(node.keyspace.keys.at("k").shares == Shares{{1, 16, 9}, {2, 1, 1}});
  node.run(2, "SETRANGE k 2 z");
  CHECK(node.keyspace.keys.at("k").shares == Shares{{2, 1, 1}, {2, 8, 17}});
  node.run(1, "SETBIT k 0 0");
  CHECK(node.keyspace.keys.at("k").shares == Shares{{2, 8, 17}});
  node.run(1, "APPEND a x");
  node.run(2, "APPEND a yz");
  CHECK(node.maker("a") == 0);
  CHECK(node.keyspace.keys.at("a").shares == Shares{{1, 8, 1}, {2, 16, 9}});
}

TEST_CASE("who writes another's token again does not make it its own") {
  MakerNode node;
  const std::string token = token_text({0, 1});
  for (const char* write : {"SET k T", "SET k T PX 100", "GETSET k T", "SET k T XX"}) {
    INFO(write);
    std::string text = write;
    text.replace(text.find('T', 4), 1, token);
    node.run(1, ("SET k " + token).c_str());
    node.run(2, text.c_str());
    CHECK(node.maker("k") == 1);
  }
  node.run(2, "COPY k copy");
  CHECK(node.maker("copy") == 2);
  node.run(2, "RENAME copy k");
  CHECK(node.maker("k") == 1);
  node.run(1, "SET plain 1");
  node.run(2, "SET plain 1");
  CHECK(node.maker("plain") == 2);
}

TEST_CASE("a command that modifies a key leaves its maker") {
  MakerNode node;
  node.run(1, "SET k 1");
  for (const char* change :
       {"INCR k", "INCRBYFLOAT k 1", "EXPIRE k 100", "PERSIST k", "SET k v NX", "GETEX k EX 100"}) {
    INFO(change);
    node.run(2, change);
    CHECK(node.maker("k") == 1);
  }
  node.run(2, "RENAME k moved");
  CHECK(node.maker("moved") == 2);  // its maker has no key of that name
}

TEST_CASE("a field's maker is who added or overwrote it; the hash keeps its own") {
  MakerNode node;
  node.run(1, "HSET h f 1");
  node.run(2, "HINCRBY h f 1");
  CHECK(node.field_maker("h", "f") == 1);
  node.run(2, "HSET h g 1");
  CHECK(node.field_maker("h", "g") == 2);
  node.run(2, "HSETNX h f 9");
  CHECK(node.field_maker("h", "f") == 1);
  node.run(2, "HSET h f 9");
  CHECK(node.field_maker("h", "f") == 2);
  node.run(3, "HINCRBY h new 1");
  CHECK(node.field_maker("h", "new") == 0);  // it has a share in it
  CHECK(node.maker("h") == 1);
  node.keyspace.disown(1);
  CHECK(node.maker("h") == 0);
  CHECK(node.field_maker("h", "f") == 2);
  node.keyspace.disown(2);
  CHECK(node.field_maker("h", "g") == 0);
}

TEST_CASE("an element's maker is who pushed, set or moved it; the list keeps its own") {
  MakerNode node;
  node.run(1, "RPUSH l a b");
  node.run(2, "RPUSH l c");
  CHECK(node.element_makers("l") == std::vector<Maker>{1, 1, 2});
  node.run(3, "LSET l 0 x");
  node.run(4, "LINSERT l AFTER x y");
  CHECK(node.element_makers("l") == std::vector<Maker>{3, 4, 1, 2});
  node.run(5, "LMOVE l l LEFT RIGHT");
  CHECK(node.element_makers("l") == std::vector<Maker>{4, 1, 2, 5});
  node.run(2, "LREM l 0 y");
  CHECK(node.element_makers("l") == std::vector<Maker>{1, 2, 5});
  CHECK(node.maker("l") == 1);
  node.keyspace.disown(1);
  CHECK(node.maker("l") == 0);
  CHECK(node.element_makers("l") == std::vector<Maker>{0, 2, 5});
}

TEST_CASE("a member's maker is who added it; adding it again changes nothing") {
  MakerNode node;
  node.run(1, "SADD s a 1");
  node.run(2, "SADD s a b");
  CHECK(node.member_maker<Set>("s", "a") == 1);
  CHECK(node.member_maker<Set>("s", "b") == 2);
  node.run(3, "SMOVE s t a");
  CHECK(node.member_maker<Set>("t", "a") == 3);
  CHECK(node.maker("t") == 3);
  CHECK(node.maker("s") == 1);
  node.run(4, "SUNIONSTORE s s t");
  CHECK(node.maker("s") == 4);
  node.keyspace.disown(3);
  CHECK(node.member_maker<Set>("t", "a") == 0);
}

TEST_CASE(
    "a sorted set's member is made by who adds it or sets its score; a counter keeps its maker") {
  MakerNode node;
  node.run(1, "ZADD z 1 a 1 b");
  node.run(2, "ZADD z 2 a");
  CHECK(node.member_maker<SortedSet>("z", "a") == 2);
  node.run(3, "ZADD z 2 a");  // leaves it as it is
  CHECK(node.member_maker<SortedSet>("z", "a") == 2);
  for (const char* refused : {"ZADD z NX 9 b", "ZADD z GT 0 b", "ZINCRBY z 1 b"}) {
    node.run(4, refused);
    CHECK(node.member_maker<SortedSet>("z", "b") == 1);
  }
  node.run(4, "ZINCRBY z 1 new");
  CHECK(node.member_maker<SortedSet>("z", "new") == 4);
  CHECK(node.maker("z") == 1);
  node.keyspace.disown(4);
  CHECK(node.member_maker<SortedSet>("z", "new") == 0);
  node.run(5, "COPY z copy");
  CHECK(node.maker("copy") == 5);
}

TEST_CASE(
    "random commands choose the same whenever the keyspace is the same, and leave it the same") {
  MakerNode node;
  node.run(1, "SADD s c b a");
  node.run(1, "HSET h f 1 g 2");
  node.run(1, "ZADD z 2 a 1 b");
  const std::string before = encode(node.keyspace);
  for (const char* line : {"SRANDMEMBER s", "SRANDMEMBER s -5", "HRANDFIELD h 1", "RANDOMKEY",
                           "ZRANDMEMBER z 2 WITHSCORES"}) {
    INFO(line);
    CHECK(node.run(1, line) == node.run(2, line));
    CHECK(encode(node.keyspace) == before);
  }
  CHECK(node.run(1, "SPOP s") == Reply::bulk("c"));
  node.run(1, "SADD repacked x y z u v 1");
  node.run(1, "SPOP repacked 5");  // one of six remains, in a new set
  CHECK(node.run(1, "OBJECT ENCODING repacked") == Reply::bulk("intset"));
  CHECK_THROWS_AS(node.run(1, "SRANDMEMBER s -9000000"), BadInput);
}

TEST_CASE("a scan finds what is there all the time, whatever comes and goes") {
  MakerNode node;
  for (int i = 0; i < 40; ++i) node.run(1, {"SADD", "s", "stays" + std::to_string(i)});
  std::set<std::string> found;
  std::string cursor = "0";
  int calls = 0;
  do {
    node.run(1, {"SADD", "s", "comes" + std::to_string(calls)});
    node.run(1, {"SREM", "s", "comes" + std::to_string(calls - 1)});
    const Reply reply = node.run(1, {"SSCAN", "s", cursor, "COUNT", "3"});
    cursor = reply.items[0].text;
    CHECK(reply.items[1].items.size() <= 4);
    for (const Reply& item : reply.items[1].items) found.insert(item.text);
    ++calls;
  } while (cursor != "0");
  CHECK(calls > 10);
  for (int i = 0; i < 40; ++i) CHECK(found.contains("stays" + std::to_string(i)));
}

TEST_CASE("texts are found and replaced in every type, order and makers kept") {
  MakerNode node;
  for (const char* line : {"SET t one", "RPUSH l one two", "HSET h two 2 one one", "SADD s two one",
                           "ZADD z 2 two 1 one"}) {
    node.run(1, line);
  }
  std::size_t count = 0;
  for (auto& [key, entry] : node.keyspace.keys) {
    count += texts(entry).size();
    entry = with_texts(
        entry, [](std::string_view text) { return text == "one" ? "ONE" : std::string(text); });
  }
  CHECK(count == 1 + 2 + 4 + 2 + 2);
  CHECK(node.run(1, "GET t") == Reply::bulk("ONE"));
  CHECK(node.run(1, "LINDEX l 0") == Reply::bulk("ONE"));
  CHECK(node.run(1, "HKEYS h").items[1] == Reply::bulk("ONE"));
  CHECK(node.run(1, "HGET h ONE") == Reply::bulk("ONE"));
  CHECK(node.run(1, "SMEMBERS s").items[1] == Reply::bulk("ONE"));
  CHECK(node.run(1, "ZSCORE z ONE") == Reply::bulk("1"));
  CHECK(node.member_maker<SortedSet>("z", "ONE") == 1);
}

TEST_CASE("commands in scripts have the script's sender") {
  MakerNode node;
  node.run(4, {"EVAL", "return redis.call('set', KEYS[1], 'v')", "1", "k"});
  CHECK(node.maker("k") == 4);
}

TEST_CASE("what depends on absolute time says so") {
  MakerNode node;
  node.run(1, "SET k v");
  for (const char* relative : {"SET k v EX 10", "PEXPIRE k 100", "TTL k", "PTTL k", "GET k",
                               "PERSIST k", "PEXPIRETIME k", "EXPIRETIME none", "EXPIRE k -1"}) {
    INFO(relative);
    node.run(1, relative);
    CHECK(!node.last.looked_at_time);
  }
  node.run(1, "SET k v EX 100");
  for (const char* absolute :
       {"TIME", "EXPIRETIME k", "PEXPIRETIME k", "SET k v EXAT 4102444800",
        "SET k v PXAT 4102444800000", "GETEX k EXAT 4102444800", "EXPIREAT k 4102444800",
        "PEXPIREAT k 4102444800000", "PEXPIRE k 9223372036854775807",
        "EVAL 'return redis.call(\"time\")' 0"}) {
    INFO(absolute);
    node.run(1, absolute);
    CHECK(node.last.looked_at_time);
  }
}

TEST_CASE("what reads a clock or a lifetime says so, and nothing else does") {
  MakerNode node;
  node.run(1, "SET k v EX 100");
  for (const char* line :
       {"TTL k", "PTTL k", "TTL none", "EXPIRETIME k", "PEXPIRETIME k", "TIME", "OBJECT IDLETIME k",
        "EXPIRE k 50 LT", "PEXPIRE k 50 GT", "EVAL 'return redis.call(\"PtTl\", KEYS[1])' 1 k",
        "EVAL 'return redis.call(\"pexpire\", KEYS[1], 9, \"GT\")' 1 k"}) {
    INFO(line);
    node.run(1, line);
    CHECK(node.last.looked_at_clock);
  }
  for (const char* line :
       {"SET k v EX 10", "SET k v KEEPTTL", "SET k v PXAT 4102444800000", "EXPIRE k 100",
        "EXPIRE k 100 NX", "EXPIRE k 100 XX", "PERSIST k", "GETEX k EX 10", "OBJECT ENCODING k",
        "EVAL 'local ttl = \"time\" return ttl' 0",
        "EVAL 'if KEYS[2] then return redis.call(\"ttl\", KEYS[1]) end' 1 k"}) {
    INFO(line);
    node.run(1, line);
    CHECK(!node.last.looked_at_clock);
  }
  const std::string script = "return redis.call('ttl', KEYS[1])";
  const Reply sha1 = node.run(1, {"SCRIPT", "LOAD", script});
  CHECK(!node.last.looked_at_clock);
  node.run(1, {"EVALSHA", sha1.text, "1", "k"});  // its text shows no word of it
  CHECK(node.last.looked_at_clock);
}

TEST_CASE("who restores a dump makes the key and all its parts") {
  MakerNode node;
  for (const char* line : {"HSET h f 1 g 2", "RPUSH l a b", "SADD s x 1", "SADD i 1 2",
                           "ZADD z 1 m", "ZADD z 2 n", "SET t v"}) {
    node.run(1, line);
  }
  for (const char* key : {"h", "l", "s", "i", "z", "t"}) {
    node.run(2, {"RESTORE", key, "0", node.run(1, {"DUMP", key}).text, "REPLACE"});
    CHECK(node.maker(key) == 2);
  }
  CHECK(node.field_maker("h", "g") == 2);
  CHECK(node.element_makers("l") == std::vector<Maker>{2, 2});
  CHECK(node.member_maker<Set>("s", "x") == 2);
  CHECK(node.member_maker<Set>("i", "2") == 2);
  CHECK(node.member_maker<SortedSet>("z", "n") == 2);
}

TEST_CASE("what depends on more of a text than its equality says so") {
  MakerNode node;
  for (const char* line : {"SET t v", "RPUSH l b a", "SADD s x y", "ZADD z 0 a 0 b"}) {
    node.run(1, line);
  }
  for (const char* line :
       {"KEYS *", "RANDOMKEY", "SCAN 0", "SORT l ALPHA", "LCS t t", "GETBIT t 0", "BITOP NOT u t",
        "ZRANGE z - + BYLEX", "ZLEXCOUNT z - +", "DUMP t", "RESTORE t 0 junk REPLACE",
        "EVAL 'return redis.call(\"keys\", ARGV[1])' 0 *"}) {
    INFO(line);
    node.run(1, line);
    CHECK(node.last.looked_at_bytes);
  }
  for (const char* line : {"GET t", "SMEMBERS s", "LRANGE l 0 -1", "LREM l 1 a", "SREM s x",
                           "ZRANGE z 0 -1", "SORT s BY nosort"}) {
    INFO(line);
    node.run(1, line);
    CHECK(!node.last.looked_at_bytes);
  }
}

TEST_CASE("encode tells keyspaces apart exactly when they differ") {
  const std::vector<std::vector<const char*>> histories{
      {},
      {"SET k v"},
      {"SET k w"},
      {"SET v k"},
      {"SET k v PX 10"},
      {"SET k v PX 11"},
      {"HSET k v ''"},
      {"HSET k f 1 g 2"},
      {"HSET k g 2 f 1"},
      {"SCRIPT LOAD 'return 1'"},
      {"EVAL 'return math.random()' 0"},
      {"SET k '' ", "SET kk ''"},
      {"SET k kk"},
      {"SET k 5"},
      {"INCRBYFLOAT k 5"},
      {"SETRANGE k 0 5"},
      {"RPUSH k 1 2"},
      {"RPUSH k 2 1"},
      {"SADD k 1 2"},
      {"SADD k 2 1"},
      {"SADD k a b"},
      {"SADD k b a"},
      {"SADD k 1 2 a", "SREM k a"},
      {"ZADD k 1 2"},
      {"ZADD k 2 1"},
      {"ZADD k 1 a 2 b"},
      {"ZADD k 1 b 2 a"},
  };
  std::vector<MakerNode> nodes(histories.size() * 2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto maker = static_cast<Maker>(i < histories.size() ? 1 : 2);
    for (const char* line : histories[i % histories.size()]) nodes[i].run(maker, line);
  }
  for (const MakerNode& a : nodes) {
    for (const MakerNode& b : nodes) {
      CHECK((encode(a.keyspace) == encode(b.keyspace)) == (a.keyspace == b.keyspace));
    }
  }
  MakerNode again;
  for (const char* line : {"HSET k x 0", "HSET k f 1", "HDEL k x", "HSET k g 2"})
    again.run(1, line);
  CHECK(encode(again.keyspace) == encode(nodes[7].keyspace));
  CHECK(encode(nodes[18].keyspace) == encode(nodes[19].keyspace));  // an intset has one order
}

TEST_CASE("a command that Redis has and that is not simulated is refused by name") {
  MakerNode node;
  CHECK_THROWS_WITH(node.run(1, "MIGRATE h 1 z 0 10"),
                    Catch::Contains("migrate") && Catch::Contains("not simulated"));
  CHECK_THROWS_AS(node.run(1, "MIGRATE h 1 z 0 10"), BadInput);
  CHECK_THROWS_AS(node.run(1, "SUBSCRIBE c"), BadInput);  // needs a connection
  CHECK(node.run(1, "PUBLISH c m") == Reply::number(0));  // to nobody
  CHECK_THROWS_AS(node.run(1, "SCRIPT HELP"), BadInput);
  CHECK_THROWS_WITH(node.run(1, {"EVAL", "return redis.call('lolwut')", "0"}),
                    Catch::Contains("lolwut") && Catch::Contains("not simulated"));
  CHECK_THROWS_AS(node.run(1, {"EVAL", "return pcall(redis.call, 'lolwut')", "0"}), BadInput);
}

TEST_CASE("what a client that has crashed since has sent makes something that is nobody's") {
  MakerNode node;
  const Maker sender = GENERATE(kNobody, Maker{1});
  node.run(sender, {"SET", "k", "1"});
  const Entry& entry = node.keyspace.keys.at("k");
  const PartsChange change = change_of(nullptr, &entry, sender);
  CHECK(change.made == (sender != kNobody));
  CHECK(change.made_by_nobody == (sender == kNobody));
  CHECK_FALSE(change_of(&entry, &entry, sender).made_by_nobody);
}

TEST_CASE("streams, geo, bitfield and HyperLogLog are refused by name, also in a script") {
  MakerNode node;
  for (const std::string name : {"xadd", "geoadd", "bitfield", "pfadd", "module"}) {
    const auto refused = Catch::Contains("command '" + name + "': Redis has it");
    CHECK_THROWS_WITH(node.run(1, {name, "k"}), refused);
    CHECK_THROWS_WITH(node.run(1, {"EVAL", "return redis.call(ARGV[1], 'k')", "0", name}), refused);
  }
  CHECK(node.run(1, {"NONE", "k"}) ==
        Reply::error("ERR unknown command 'NONE', with args beginning with: 'k' "));
}

}  // namespace
