// What redis.call returns after redis.setresp(3): replies in RESP3 have more types than those of
// RESP2, which the commands give.
#include <algorithm>
#include <cstdlib>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/run.hpp"

namespace lockstep::sim {

namespace {

Resp3Type type_of(const Request& request) {
  const Resp3& rule = find_command(request)->more.resp3;
  const auto from = static_cast<std::ptrdiff_t>(std::min(rule.from, request.size()));
  const bool holds = std::any_of(request.begin() + from, request.end(), [&](const auto& argument) {
    return rule.word.empty() || is_word(argument, rule.word);
  });
  return holds ? rule.type : rule.other;
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

void push_reply_resp3(lua_State* L, const Request& request, const Reply& reply) {
  luaL_checkstack(L, 8, nullptr);
  const Resp3Type type = type_of(request);
  if (reply.kind == Reply::Kind::bulk && type == Resp3Type::number) return push_double(L, reply);
  if (reply.kind != Reply::Kind::array) return push_reply(L, reply, true);
  switch (type) {
    case Resp3Type::map:
    case Resp3Type::set:
      return push_collection(L, reply, type == Resp3Type::map);
    case Resp3Type::pairs:
    case Resp3Type::scored:
      return push_pairs(L, reply, type == Resp3Type::scored);
    case Resp3Type::one_scored:
      if (reply.items.empty()) break;
      return push_pair(L, reply.items[0], reply.items[1], true);
    case Resp3Type::named_scored:
      return push_named_scored(L, reply);
    case Resp3Type::numbers:
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
