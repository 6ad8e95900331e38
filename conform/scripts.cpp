// Random scripts and functions; see the header.
#include "conform/scripts.hpp"

#include <algorithm>

#include "conform/commands.hpp"
#include "conform/library_calls.hpp"
#include "conform/likeness.hpp"
#include "conform/lua_generator.hpp"
#include "sim/base/sha1.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::conform {

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

/// What a script cannot show without telling its server apart: chance, clocks, and the order of
/// hash tables and equal elements.
bool shows_chance(const sim::Request& request) {
  const auto name = sim::lower_case(request[0]);
  const bool lexical =
      name.find("lex") != std::string::npos || std::ranges::count(request, "BYLEX") > 0;
  return lexical || is_random(request) || compares_lifetimes(request) ||
         has_trait(request, sim::kUnordered | sim::kLooksAtClock) || name.ends_with("scan") ||
         is_one_of(name, {"object", "dbsize", "pubsub", "role", "client", "dump"});
}

/// A command of any family that a script may show the reply of. Lua 5.1 compiles no call with more
/// than some 240 arguments.
sim::Request plain_command(const Repertoire& repertoire, Dice& dice) {
  constexpr std::size_t kMostWords = 200;
  while (true) {
    const bool of_connections = dice.one_in(12);
    auto request = random_command(
        of_connections ? repertoire.any_of_connections(dice) : repertoire.any(dice), dice);
    if (request[0][0] != '!' && request.size() <= kMostWords && !shows_chance(request))
      return request;
  }
}

/// What a body calls its keys and arguments, and which commands it sends.
struct Names {
  const char* keys;
  const char* arguments;
  const Repertoire& repertoire;
};

/// redis.call with a random command, some of whose words are the script's own arguments.
std::string command_call(Dice& dice, const Names& names) {
  const auto request = plain_command(names.repertoire, dice);
  std::string text = dice.one_in(3) ? "redis.call(" : "redis.pcall(";
  for (std::size_t i = 0; i < request.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == 1 && dice.one_in(4))
      text += std::string(names.keys) + "[1]";
    else if (i > 1 && dice.one_in(6))
      text += std::string(names.arguments) + dice.of({"[1]", "[2]", "[1] + 1", "[3]"});
    else if (i > 1 && dice.one_in(12))
      text += dice.of({"1.5", "3", "1e17", "-0", "0/0", "2^53", "0.1", "{}", "nil", "true"});
    else
      text += lua_literal(request[i]);
  }
  return text + ")";
}

std::string library_call(Dice& dice) {
  switch (dice.below(4)) {
    case 0:
      return bit_call(dice);
    case 1:
      return struct_call(dice);
    case 2:
      return cmsgpack_call(dice);
    default:
      return cjson_call(dice);
  }
}

std::string statement(Dice& dice, const Names& names) {
  switch (dice.below(12)) {
    case 0:
      return std::string("redis.setresp(") + dice.of({"3", "3", "3", "2", "'3'", "4", ""}) + ")";
    case 1:
      return "r = {" + library_call(dice) + "}";
    case 2:
      return "if type(r) == 'table' then r = r.map or r.set or r.double or r.ok or r.err or r[1] "
             "end";
    case 3:
      return "if not r then return {r, type(r)} end";
    case 4:
      return std::string("r = ") +
             dice.of({"redis.sha1hex('x')", "redis.status_reply('FINE')", "redis.error_reply('no')",
                      "redis.error_reply('MY text')", "redis.log(redis.LOG_DEBUG, 'x')",
                      "redis.replicate_commands()", "{redis.REDIS_VERSION, _VERSION}",
                      "redis.acl_check_cmd('get', 'x')", "redis.none", "redis.LOG_WARNING",
                      "redis.set_repl(redis.REPL_ALL)", "redis.breakpoint()"});
    case 5:
      return "for i = 1, 2 do r = " + command_call(dice, names) + " end";
    default:
      return "r = " + command_call(dice, names);
  }
}

/// What a script can answer with, of every type and of none.
std::string result(Dice& dice) {
  if (dice.below(3) > 0) return dice.of({"r", "{c(r)}", "{type(r), r}", "{c(r)}"});
  return dice.of({"{double = 1.5}",
                  "{double = 1e100}",
                  "{double = '3'}",
                  "{double = 0/0}",
                  "{map = {a = 1}}",
                  "{map = {[1] = {double = 2}}}",
                  "{set = {x = true}}",
                  "{set = {}}",
                  "{map = 5}",
                  "{big_number = '123'}",
                  "{big_number = 123}",
                  "{verbatim_string = {format = 'txt', string = 'abc'}}",
                  "{verbatim_string = {format = 'text', string = 'abc'}}",
                  "{verbatim_string = {string = 'abc'}}",
                  "{ok = 'FINE', err = 'ERR both'}",
                  "{err = 'no code'}",
                  "{err = ''}",
                  "{ok = 'a\\r\\nb'}",
                  "{ok = 1}",
                  "{1, {2, {3, nil, 4}}, 'x'}",
                  "{1, nil, 3}",
                  "{x = 1}",
                  "true",
                  "false",
                  "{true, false}",
                  "nil",
                  "1e300",
                  "-0.5",
                  "0/0",
                  "2^63",
                  "type",
                  "{type, 1}",
                  "r, 1",
                  "setmetatable({}, {__index = {5, 6}})",
                  "error('a text')",
                  "error({err = 'CODE text'})",
                  "x",
                  "cjson.null",
                  "{cjson.null}",
                  "tostring(nil) .. 1",
                  "#r",
                  "r.x.y"});
}

std::string body(Dice& dice, const Names& names) {
  std::string text = "local r ";
  for (std::size_t n = 1 + dice.below(4); n > 0; --n)
    text += statement(dice, names) + dice.of({" ", "\n"});
  return text + "return " + result(dice);
}

std::string shebang(Dice& dice) {
  if (dice.below(3) > 0) return {};
  return dice.of({"#!lua\n", "#!lua flags=no-writes\n", "#!lua flags=allow-oom\n",
                  "#!lua flags=no-writes,allow-stale\n", "#!lua flags=no-cluster\n",
                  "#!lua flags=allow-cross-slot-keys\n", "#!lua flags=none\n", "#!lua flags=\n",
                  "#!lua name=x\n", "#!python\n", "#!lua ", "#! lua\n", "#!LUA\n",
                  "#!lua flags=no-writes flags=allow-oom\n", "#!lua\tflags=no-writes \r\n"});
}

std::string script(const Repertoire& repertoire, Dice& dice) {
  if (dice.one_in(3)) return random_script(dice).text();
  if (dice.one_in(4)) return shebang(dice) + showing({library_call(dice), library_call(dice)});
  return shebang(dice) + kShowValues + body(dice, {"KEYS", "ARGV", repertoire});
}

/// Numbers a request's keys and adds them and some arguments.
void add_keys(sim::Request& request, Dice& dice) {
  const std::size_t keys = dice.below(3);
  request.push_back(std::to_string(keys));
  for (std::size_t i = 0; i < keys; ++i) request.emplace_back(random_word('K', dice));
  for (std::size_t i = dice.below(4); i > 0; --i)
    request.emplace_back(random_word("VNRC"[dice.below(4)], dice));
  if (dice.one_in(20)) damage(request, dice);
}

// ---- function libraries ----

std::string registration(const Repertoire& repertoire, Dice& dice) {
  const std::string name = dice.of({"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"});
  const std::string callback = "function(keys, args) " + std::string(kShowValues) +
                               body(dice, {"keys", "args", repertoire}) + " end";
  if (dice.one_in(2)) return "redis.register_function('" + name + "', " + callback + ")";
  const std::string flags = dice.of({"", "flags = {'no-writes'}, ", "flags = {'allow-oom'}, ",
                                     "flags = {'no-writes', 'allow-stale'}, ",
                                     "flags = {'no-cluster'}, ", "flags = {}, "});
  const std::string description = dice.of({"", "description = 'what it does', "});
  return "redis.register_function{function_name = '" + name + "', " + flags + description +
         "callback = " + callback + "}";
}

/// What a library does beside registering functions; most of it is an error.
std::string aside(Dice& dice) {
  return dice.of({"local limit = 5", "local function helper(x) return x end", "local t = {1, 2}",
                  "redis.log(redis.LOG_DEBUG, 'loading')", "redis.call('get', 'x')", "x = 1",
                  "local y = x", "error('not today')", "return",
                  "redis.register_function('f1', print)", "redis.register_function('a b', type)",
                  "redis.register_function('f9', type, {})",
                  "redis.register_function{callback = type}",
                  "redis.register_function{function_name = 'f9', callback = type, flags = {'x'}}",
                  "redis.register_function{function_name = 'f9', callback = type, color = 1}",
                  "redis.register_function('f9', math.floor)", "local z = +"});
}

std::string library(const Repertoire& repertoire, Dice& dice) {
  std::string text =
      dice.one_in(8)
          ? dice.of({"", "#!lua\n", "#!lua name=\n", "#!lua name=a-b\n", "#!js name=lib1\n",
                     "#!lua name=lib1 name=lib2\n", "#!lua name=lib1 x=1\n", "#!lua name=lib1",
                     "#! lua name=lib1\n", "#!LUA NAME=lib3\n"})
          : dice.of({"#!lua name=lib1\n", "#!lua name=lib2\n", "#!lua name=lib3\n"});
  for (std::size_t n = dice.below(4); n > 0; --n) text += registration(repertoire, dice) + "\n";
  if (dice.one_in(4)) text += aside(dice) + "\n";
  return text;
}

}  // namespace

sim::Request random_eval(const std::vector<std::string>& scripts, Dice& dice) {
  constexpr std::size_t kMostKeys = 3;
  constexpr std::size_t kMostArguments = 4;
  const bool own = scripts.empty() || dice.below(2) == 0;
  const std::string& script =
      own ? kScripts[dice.below(kScripts.size())] : scripts[dice.below(scripts.size())];
  const std::size_t keys = own ? 1 : 1 + dice.below(kMostKeys);
  sim::Request request{"EVAL", script, std::to_string(keys)};
  for (std::size_t i = 0; i < keys; ++i)
    request.emplace_back(random_word("KKTHLZ"[dice.below(6)], dice));
  const std::size_t arguments = own ? 2 : dice.below(kMostArguments + 1);
  for (std::size_t i = 0; i < arguments; ++i)
    request.emplace_back(random_word("VNERVC"[dice.below(6)], dice));
  return request;
}

sim::Request random_script_command(const Repertoire& repertoire, Dice& dice) {
  if (dice.one_in(40)) return {"SCRIPT", "FLUSH"};
  const std::string text = script(repertoire, dice);
  const auto sha1 = sim::sha1_hex(text);
  if (dice.one_in(20)) return {"SCRIPT", "EXISTS", sha1, "x"};
  if (dice.one_in(10)) return {"SCRIPT", "LOAD", text};
  const bool by_name = dice.one_in(20);
  sim::Request request{by_name ? "EVALSHA" : "EVAL", by_name ? sha1 : text};
  if (dice.one_in(8)) request[0] += "_RO";
  add_keys(request, dice);
  return request;
}

sim::Request random_function_command(const Repertoire& repertoire, Dice& dice) {
  switch (dice.below(12)) {
    case 0:
      return {"FUNCTION", "LOAD", library(repertoire, dice)};
    case 1:
    case 2:
      return {"FUNCTION", "LOAD", "REPLACE", library(repertoire, dice)};
    case 3: {
      sim::Request request{"FUNCTION", dice.of({"LIST", "STATS", "KILL", "HELP", "FLUSH", "NONE"})};
      if (dice.one_in(3)) request.emplace_back(dice.of({"SYNC", "WITHCODE", "x"}));
      return request;
    }
    case 4:
      if (dice.one_in(2)) return {"FUNCTION", "DELETE", dice.of({"lib1", "lib2", "lib4"})};
      return {"FUNCTION", "LIST", "LIBRARYNAME", dice.of({"lib1", "LIB*", "*", "x"}), "WITHCODE"};
    default: {
      sim::Request request{dice.one_in(4) ? "FCALL_RO" : "FCALL",
                           dice.of({"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "F1", "f9"})};
      add_keys(request, dice);
      return request;
    }
  }
}

}  // namespace lockstep::conform
