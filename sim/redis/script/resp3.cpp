// What redis.call returns after redis.setresp(3): replies in RESP3 have more types than those of
// RESP2, which the commands give.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/script/run.hpp"

namespace lockstep::sim {

namespace {

/// What a command's reply is in RESP3.
enum class Shape : std::uint8_t {
  same,          ///< but null is nil
  map,           ///< of a flat array: key, value, ...
  set,           ///< of an array
  number,        ///< of a text: a double
  numbers,       ///< an array of them
  pairs,         ///< of a flat array: arrays of two
  scored,        ///< the same; the second one is a double
  one_scored,    ///< one such pair
  named_scored,  ///< a name, and an array of such pairs
};

/// Whether one of the arguments from position `from` on is `word`.
bool has_word(const Request& request, std::size_t from, const char* word) {
  return std::any_of(request.begin() + static_cast<std::ptrdiff_t>(std::min(from, request.size())),
                     request.end(),
                     [word](const auto& argument) { return is_word(argument, word); });
}

struct Rule {
  std::string_view command;
  Shape shape;
  const char* word = nullptr;  ///< must be among the arguments from position `from` on
  std::size_t from = 3;
};

constexpr Rule kRules[] = {
    {"hgetall", Shape::map},
    {"lcs", Shape::map, "idx"},
    {"smembers", Shape::set},
    {"sinter", Shape::set},
    {"sunion", Shape::set},
    {"sdiff", Shape::set},
    {"zscore", Shape::number},
    {"zincrby", Shape::number},
    {"zadd", Shape::number, "incr", 2},
    {"zmscore", Shape::numbers},
    {"hrandfield", Shape::pairs, "withvalues"},
    {"zrandmember", Shape::scored, "withscores"},
    {"zrange", Shape::scored, "withscores", 4},
    {"zrevrange", Shape::scored, "withscores", 4},
    {"zrangebyscore", Shape::scored, "withscores", 4},
    {"zrevrangebyscore", Shape::scored, "withscores", 4},
    {"zdiff", Shape::scored, "withscores"},
    {"zinter", Shape::scored, "withscores"},
    {"zunion", Shape::scored, "withscores"},
    {"zmpop", Shape::named_scored},
};

Shape shape_of(const Request& request) {
  const std::string name = lower_case(request[0]);
  if (name == "spop") return request.size() > 2 ? Shape::set : Shape::same;
  if (name == "zpopmin" || name == "zpopmax") {
    return request.size() > 2 ? Shape::scored : Shape::one_scored;
  }
  const auto* rule = std::ranges::find(kRules, std::string_view(name), &Rule::command);
  if (rule == std::end(kRules)) return Shape::same;
  return !rule->word || has_word(request, rule->from, rule->word) ? rule->shape : Shape::same;
}

/// Pushes the double that `reply` is as a text.
void push_double(lua_State* L, const Reply& reply) {
  if (reply.kind != Reply::Kind::bulk) return push_reply(L, reply, true);
  lua_createtable(L, 0, 1);
  lua_pushnumber(L, std::strtod(reply.text.c_str(), nullptr));
  lua_setfield(L, -2, "double");
}

void push_pair(lua_State* L, const Reply& first, const Reply& second, bool scored) {
  lua_createtable(L, 2, 0);
  push_reply(L, first, true);
  lua_rawseti(L, -2, 1);
  scored ? push_double(L, second) : push_reply(L, second, true);
  lua_rawseti(L, -2, 2);
}

/// The items of a flat array by twos.
void push_pairs(lua_State* L, const Reply& reply, bool scored) {
  lua_createtable(L, static_cast<int>(reply.items.size() / 2), 0);
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    push_pair(L, reply.items[i], reply.items[i + 1], scored);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i / 2) + 1);
  }
}

/// {map = {...}} or {set = {...}}.
void push_collection(lua_State* L, const Reply& reply, bool map) {
  lua_createtable(L, 0, 1);
  lua_newtable(L);
  const std::size_t step = map ? 2 : 1;
  for (std::size_t i = 0; i + step <= reply.items.size(); i += step) {
    push_reply(L, reply.items[i], true);
    map ? push_reply(L, reply.items[i + 1], true) : lua_pushboolean(L, 1);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, map ? "map" : "set");
}

void push_named_scored(lua_State* L, const Reply& reply) {
  lua_createtable(L, 2, 0);
  push_reply(L, reply.items[0], true);
  lua_rawseti(L, -2, 1);
  lua_newtable(L);
  const auto& pairs = reply.items[1].items;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    push_pair(L, pairs[i].items[0], pairs[i].items[1], true);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_rawseti(L, -2, 2);
}

}  // namespace

void refuse_without_resp3(const Request& request) {
  if (!is_word(request[0], "command")) return;
  const auto is = [&](const char* name) { return is_word(request[1], name); };
  if (request.size() > 1 && !is("info") && !is("getkeysandflags")) return;
  throw BadInput("what COMMAND says of commands after redis.setresp(3) is not simulated");
}

void push_reply_resp3(lua_State* L, const Request& request, const Reply& reply) {
  luaL_checkstack(L, 8, nullptr);
  const Shape shape = shape_of(request);
  if (reply.kind == Reply::Kind::bulk && shape == Shape::number) return push_double(L, reply);
  if (reply.kind != Reply::Kind::array) return push_reply(L, reply, true);
  switch (shape) {
    case Shape::map:
    case Shape::set:
      return push_collection(L, reply, shape == Shape::map);
    case Shape::pairs:
    case Shape::scored:
      return push_pairs(L, reply, shape == Shape::scored);
    case Shape::one_scored:
      if (reply.items.empty()) break;
      return push_pair(L, reply.items[0], reply.items[1], true);
    case Shape::named_scored:
      return push_named_scored(L, reply);
    case Shape::numbers:
      lua_createtable(L, static_cast<int>(reply.items.size()), 0);
      for (std::size_t i = 0; i < reply.items.size(); ++i) {
        push_double(L, reply.items[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
      }
      return;
    default:
      break;
  }
  push_reply(L, reply, true);
}

}  // namespace lockstep::sim
