// Random commands on values of every type, with a liking for edge cases: wrong types, wrong
// arities, clashing options, odd numbers, empty and missing keys, values just past the compact
// encodings.
#include "conform/commands.hpp"

#include <map>
#include <string>
#include <vector>

#include "sim/redis_text.hpp"

namespace lockstep::conform {

const std::vector<Family> kFamilies{
    {"lists",
     {"LPUSH L V",
      "RPUSH L V V",
      "RPUSH L V V V V V",
      "LPUSHX L V",
      "RPUSHX L V V",
      "LPOP L",
      "RPOP L",
      "LPOP L C",
      "RPOP L C",
      "LLEN L",
      "LRANGE L I I",
      "LRANGE L 0 -1",
      "LINDEX L I",
      "LSET L I V",
      "LINSERT L BEFORE V V",
      "LINSERT L AFTER V V",
      "LREM L I V",
      "LTRIM L I I",
      "LPOS L V",
      "LPOS L V RANK I",
      "LPOS L V COUNT C",
      "LPOS L V MAXLEN C RANK I COUNT C",
      "LMOVE L L LEFT RIGHT",
      "LMOVE L L RIGHT LEFT",
      "LMOVE L L LEFT LEFT",
      "RPOPLPUSH L L",
      "LMPOP 1 L LEFT",
      "LMPOP 2 L L RIGHT COUNT C",
      "LMPOP C L L LEFT",
      "SORT L",
      "SORT L ALPHA DESC",
      "SORT L LIMIT I I"}},
    {"sets",
     {"SADD S V",
      "SADD S V V V",
      "SADD S N N N",
      "SREM S V V",
      "SADD S #",
      "SREM S N",
      "SMOVE S S V",
      "SMOVE S S N",
      "SISMEMBER S V",
      "SMISMEMBER S V N V",
      "SCARD S",
      "SPOP S",
      "SPOP S C",
      "SRANDMEMBER S",
      "SRANDMEMBER S Q",
      "SMEMBERS S",
      "SINTER S S",
      "SINTER S",
      "SUNION S S S",
      "SDIFF S S",
      "SDIFF S S S",
      "SINTERSTORE S S S",
      "SUNIONSTORE S S S",
      "SDIFFSTORE S S S",
      "SINTERCARD 2 S S",
      "SINTERCARD 2 S S LIMIT C",
      "SINTERCARD C S S",
      "SSCAN S 0",
      "SSCAN S 0 COUNT C",
      "SSCAN S 0 MATCH P",
      "SORT S",
      "SORT S ALPHA",
      "SORT S BY nosort STORE L"}},
    {"zsets",
     {"ZADD Z R V",
      "ZADD Z R V R V",
      "ZADD Z O R V",
      "ZADD Z O O R V",
      "ZADD Z O O R V R V",
      "ZADD Z $",
      "ZINCRBY Z R V",
      "ZREM Z V V",
      "ZCARD Z",
      "ZSCORE Z V",
      "ZMSCORE Z V V V",
      "ZRANK Z V",
      "ZREVRANK Z V",
      "ZPOPMIN Z",
      "ZPOPMAX Z",
      "ZPOPMIN Z C",
      "ZPOPMAX Z C",
      "ZMPOP 2 Z Z MIN",
      "ZMPOP 1 Z MAX COUNT C",
      "ZRANDMEMBER Z",
      "ZRANDMEMBER Z Q",
      "ZRANDMEMBER Z Q WITHSCORES",
      "ZSCAN Z 0",
      "ZSCAN Z 0 MATCH P COUNT C",
      "ZINCRBY X 0 V",
      "ZADD X 0 V 0 V 0 V",
      "ZADD X 0 V",
      "ZREM X V",
      "SORT Z BY nosort DESC",
      "SORT Z BY nosort LIMIT I I",
      "SORT Z DESC"}},
    {"zset ranges",
     {"ZADD Z R V R V R V",
      "ZADD X 0 V 0 V 0 V",
      "ZRANGE Z I I",
      "ZRANGE Z 0 -1 WITHSCORES",
      "ZRANGE Z I I REV",
      "ZRANGE Z I I G",
      "ZRANGE Z I I G G",
      "ZRANGE Z B B BYSCORE",
      "ZRANGE Z B B BYSCORE G",
      "ZRANGE Z B B BYSCORE G G",
      "ZRANGE Z B B BYSCORE LIMIT I I",
      "ZRANGE Z B B BYSCORE REV LIMIT I I",
      "ZRANGE X M M BYLEX",
      "ZRANGE X M M BYLEX G",
      "ZRANGE X M M BYLEX REV",
      "ZRANGE Z M M BYLEX",
      "ZRANGE Z M M BYLEX REV",
      "ZREVRANGE Z I I",
      "ZREVRANGE Z I I G",
      "ZRANGEBYSCORE Z B B",
      "ZRANGEBYSCORE Z B B G",
      "ZRANGEBYSCORE Z B B LIMIT I I",
      "ZREVRANGEBYSCORE Z B B",
      "ZREVRANGEBYSCORE Z B B WITHSCORES LIMIT I I",
      "ZRANGEBYLEX X M M",
      "ZRANGEBYLEX X M M LIMIT I I",
      "ZREVRANGEBYLEX X M M",
      "ZREVRANGEBYLEX X M M LIMIT I I",
      "ZREVRANGEBYLEX Z M M",
      "ZRANGEBYLEX Z M M",
      "ZCOUNT Z B B",
      "ZLEXCOUNT X M M",
      "ZLEXCOUNT Z M M",
      "ZRANGESTORE Z Z I I",
      "ZRANGESTORE Z Z I I REV",
      "ZRANGESTORE Z Z B B BYSCORE LIMIT I I",
      "ZRANGESTORE X X M M BYLEX G",
      "ZREMRANGEBYRANK Z I I",
      "ZREMRANGEBYSCORE Z B B",
      "ZREMRANGEBYLEX X M M",
      "ZREMRANGEBYLEX Z M M"}},
    {"zset algebra",
     {"ZADD Z R V R V R V",
      "SADD S V V V",
      "ZUNION 2 Z Z WITHSCORES",
      "ZUNION 2 Z S",
      "ZUNION 3 Z Z Z WITHSCORES AGGREGATE A",
      "ZUNION 2 Z S WEIGHTS R R WITHSCORES",
      "ZINTER 2 Z Z WITHSCORES",
      "ZINTER 2 Z S WEIGHTS R R AGGREGATE A WITHSCORES",
      "ZDIFF 2 Z Z",
      "ZDIFF 2 Z S WITHSCORES",
      "ZUNIONSTORE Z 2 Z Z",
      "ZUNIONSTORE Z 2 Z Z WEIGHTS R R",
      "ZUNIONSTORE Z 2 Z Z AGGREGATE A",
      "ZINTERSTORE Z 2 Z Z",
      "ZINTERSTORE Z 2 Z S AGGREGATE A",
      "ZDIFFSTORE Z 2 Z Z",
      "ZINTERCARD 2 Z Z",
      "ZINTERCARD 2 Z S LIMIT C",
      "ZUNION C Z Z",
      "ZUNIONSTORE Z C Z Z",
      "ZINTER 1 Z",
      "ZADD Z $",
      "ZDIFFSTORE Z 1 Z"}},
    {"hashes",
     {"HSET H V V",
      "HSET H V V V V",
      "HSET H $",
      "HGET H V",
      "HDEL H V V",
      "HGETALL H",
      "HKEYS H",
      "HVALS H",
      "HLEN H",
      "HEXISTS H V",
      "HSETNX H V V",
      "HINCRBY H V N",
      "HINCRBYFLOAT H V R",
      "HMGET H V V",
      "HSTRLEN H V",
      "HRANDFIELD H",
      "HRANDFIELD H Q",
      "HRANDFIELD H Q WITHVALUES",
      "HSCAN H 0",
      "HSCAN H 0 MATCH P COUNT C",
      "HMSET H V V"}},
    {"strings",
     {"SET T V",
      "APPEND T V",
      "SETRANGE T C V",
      "GETRANGE T I I",
      "SUBSTR T I I",
      "GETBIT T C",
      "SETBIT T C 1",
      "SETBIT T C 0",
      "SETBIT T C C",
      "BITCOUNT T",
      "BITCOUNT T I I",
      "BITCOUNT T I I BIT",
      "BITCOUNT T I I BYTE",
      "BITPOS T 0",
      "BITPOS T 1",
      "BITPOS T 1 I",
      "BITPOS T 0 I I",
      "BITPOS T 0 I I BIT",
      "BITPOS T 1 I I BIT",
      "BITPOS T 0 I",
      "BITOP AND T T T",
      "BITOP OR T T T T",
      "BITOP XOR T T T",
      "BITOP NOT T T",
      "LCS T T",
      "LCS T T LEN",
      "LCS T T IDX",
      "LCS T T IDX WITHMATCHLEN",
      "LCS T T IDX MINMATCHLEN C",
      "INCR T",
      "INCRBY T N",
      "INCRBYFLOAT T R",
      "GETSET T V",
      "STRLEN T",
      "MSET T V T V",
      "DECRBY T N"}},
    {"generic",
     {"COPY K K",
      "COPY K K REPLACE",
      "RENAME K K",
      "RENAMENX K K",
      "DEL K",
      "UNLINK K K",
      "TOUCH K K",
      "EXISTS K K K",
      "TYPE K",
      "OBJECT ENCODING K",
      "OBJECT REFCOUNT K",
      "OBJECT FREQ K",
      "OBJECT HELP",
      "RANDOMKEY",
      "KEYS P",
      "SCAN 0",
      "SCAN 0 COUNT C",
      "SCAN 0 MATCH P",
      "SCAN 0 TYPE Y",
      "SORT K",
      "SORT K ALPHA",
      "SORT K DESC LIMIT I I",
      "SORT K STORE K",
      "SORT L BY w_* GET # GET h_*->V",
      "SORT L BY w_*",
      "SORT_RO L ALPHA GET w_* GET #",
      "SORT S ALPHA STORE L",
      "SET w_V N",
      "HSET h_V V V",
      "EXPIRE K 100",
      "PERSIST K",
      "PEXPIRE K 0",
      "PEXPIREAT K 1",
      "TTL K",
      "!EXPIRE K",
      "COPY K K DB 0",

      "SORT Z BY h_*->V",
      "SORT L BY nosort LIMIT I I STORE K",
      "SORT L BY nosort DESC LIMIT I I"}},
    {"lifetimes",
     {"SET T V",
      "SET T V J",
      "SET T V J J",
      "SET T V J J J",
      "SETNX T V",
      "SETEX T E V",
      "PSETEX T D V",
      "GETDEL T",
      "GETEX T J",
      "GETEX T J J",
      "MGET T T K",
      "MSETNX T V T V",
      "EXPIRE K E",
      "EXPIRE K E W",
      "EXPIRE K E W W",
      "PEXPIRE K D",
      "PEXPIRE K D W",
      "EXPIREAT K 1",
      "EXPIREAT K 4102444800 W",
      "PEXPIREAT K 4102444800000 W",
      "PERSIST K",
      "TTL K",
      "PTTL K",
      "EXPIRETIME K",
      "PEXPIRETIME K",
      "!EXPIRE K",
      "DBSIZE",
      "TYPE K",
      "RENAME K K"}},
};

const std::vector<Family> kConnectionFamilies{
    {"transactions",
     {"MULTI",     "MULTI",    "EXEC",    "EXEC",   "EXEC",      "DISCARD", "WATCH K",
      "WATCH K K", "UNWATCH",  "SET T V", "INCR T", "LPUSH L V", "GET T",   "EXPIRE T E",
      "HGETALL H", "NOSUCH K", "SET T",   "DEL K",  "FLUSHALL",  "SELECT U"}},
    {"databases",
     {"SELECT U", "SELECT 0", "SELECT 1", "MOVE K U", "SWAPDB U U", "DBSIZE", "COPY K K DB U",
      "COPY K K DB U REPLACE", "SET T V", "LPUSH L V", "KEYS P", "FLUSHDB", "EXISTS K K"}},
    // Of several patterns that fit a channel Redis's order is a matter of chance: these never fit
    // both.
    {"messages",
     {"SUBSCRIBE F",
      "SUBSCRIBE F F",
      "PSUBSCRIBE ch*",
      "PSUBSCRIBE n?ws",
      "PSUBSCRIBE ch* n?ws",
      "UNSUBSCRIBE F",
      "PUNSUBSCRIBE ch*",
      "PUBLISH F V",
      "PUBLISH F V",
      "PUBLISH F V",
      "PUBSUB NUMSUB F F",
      "PUBSUB NUMPAT",
      "PUBSUB CHANNELS",
      "SSUBSCRIBE F",
      "SUNSUBSCRIBE F",
      "SPUBLISH F V",
      "PING",
      "PING V",
      "RESET",
      "GET T"}},
    {"waiting",
     {"BLPOP L 0",
      "BLPOP L L 100",
      "BRPOP L L 0",
      "BLMOVE L L LEFT RIGHT 0",
      "BRPOPLPUSH L L 0",
      "BLMPOP 0 2 L L LEFT",
      "BLMPOP 100 1 L RIGHT COUNT C",
      "BZPOPMIN Z 0",
      "BZPOPMAX Z Z 100",
      "BZMPOP 0 2 Z Z MAX COUNT C",
      "BLPOP L V",
      "BLPOP S 0",
      "WAIT 0 0",
      "LPUSH L V",
      "RPUSH L V V",
      "LPUSH L V",
      "RPUSH L V V V",
      "ZADD Z R V",
      "ZADD Z R V R V",
      "RENAME K L",
      "LMOVE L L LEFT RIGHT",
      "MULTI",
      "EXEC"}},
    {"connections",
     {"ECHO V", "PING", "PING V", "CLIENT SETNAME a", "CLIENT GETNAME", "RESET", "SCRIPT EXISTS V",
      "SELECT U", "CLIENT NOSUCH", "ROLE", "AUTH x"}},
};

namespace {

/// Scripts in which replies become values and values replies; each takes a key and two arguments.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): long scripts are broken into lines.
const std::vector<std::string> kScripts{
    "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 "
    "end",
    "if redis.call('setnx',KEYS[1],ARGV[1]) == 1 then return redis.call('expire',KEYS[1],ARGV[2]) "
    "end",
    "redis.call('hincrby',KEYS[1],ARGV[1],1) return redis.call('hgetall',KEYS[1])",
    "return {redis.pcall('incr',KEYS[1]), redis.pcall('hget',KEYS[1],ARGV[1]), "
    "redis.call('type',KEYS[1])}",
    "local n = tonumber(ARGV[2]) or 0 return redis.call('set',KEYS[1],ARGV[1],'PX',n * 100000 / 3)",
    "return redis.call('set',KEYS[1],ARGV[1] + 1)",
    "return ARGV[1] .. ARGV[2] * 2",
    "local v = redis.call('get',KEYS[1]) return {v, type(v), #ARGV, v == ARGV[1]}",
    "for i = 1, 3 do redis.call('rpush',KEYS[1],i,ARGV[1]) end return "
    "redis.call('lrange',KEYS[1],0,-1)",
    "redis.call('zadd',KEYS[1],ARGV[2],ARGV[1]) return "
    "redis.call('zrange',KEYS[1],0,-1,'WITHSCORES')",
    "redis.call('set',KEYS[1],'x') redis.call('lpush',KEYS[1],'y') return 1",
    "local r = redis.pcall(ARGV[1],KEYS[1]) if type(r) == 'table' and r.err then return {'caught', "
    "r.err} end return r",
    "if redis.call('exists',KEYS[1]) == 1 then redis.call('select',1) "
    "redis.call('set',KEYS[1],ARGV[1]) end return 7",
    "return {ok = ARGV[1]}",
    "return redis.error_reply(ARGV[1])",
    "return {1.9, -1.9, ARGV[1], false, 5}",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

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

/// A slip of the pen: a word too few, too many, twice, or another one.
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

}  // namespace

sim::Request random_command(const Family& family, Dice& dice) {
  sim::Request request;
  for (const std::string& word : sim::split_line(dice.of(family.templates))) {
    if (word == "#" || word == "$") {
      append_run(request, dice, word == "$");
      continue;
    }
    const auto of = [&](char letter) { return dice.of(kWords.at(letter)); };
    if (word.size() > 1 && (word.ends_with("_V") || word.ends_with(">V"))) {
      request.push_back(word.substr(0, word.size() - 1) + of('V'));
    } else if (word.size() == 1 && kWords.contains(word[0])) {
      const bool key = std::string("TLSZXH").find(word[0]) != std::string::npos;
      request.emplace_back(of(key && dice.below(40) == 0 ? 'K' : word[0]));
    } else {
      request.push_back(word);
    }
  }
  if (request[0][0] != '!' && dice.below(25) == 0) damage(request, dice);
  return request;
}

sim::Request random_eval(const std::vector<std::string>& scripts, Dice& dice) {
  constexpr std::size_t kMostKeys = 3;
  constexpr std::size_t kMostArguments = 4;
  const auto of = [&](char letter) { return dice.of(kWords.at(letter)); };
  const bool own = scripts.empty() || dice.below(2) == 0;
  const std::string& script =
      own ? kScripts[dice.below(kScripts.size())] : scripts[dice.below(scripts.size())];
  const std::size_t keys = own ? 1 : 1 + dice.below(kMostKeys);
  sim::Request request{"EVAL", script, std::to_string(keys)};
  for (std::size_t i = 0; i < keys; ++i) request.emplace_back(of("KKTHLZ"[dice.below(6)]));
  const std::size_t arguments = own ? 2 : dice.below(kMostArguments + 1);
  for (std::size_t i = 0; i < arguments; ++i) request.emplace_back(of("VNERVC"[dice.below(6)]));
  return request;
}

}  // namespace lockstep::conform
