// The client API inside a process: subscriptions. A listener is a task of its own, with a
// connection that takes messages: between two of them it is plain data.
#include <fmt/format.h>

#include <string>

#include "sim/base/check.hpp"
#include "sim/client/api_parts.hpp"
#include "sim/client/observation.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim::program {

namespace {

/// What a listener sends, and where: its arguments, as Lua values.
enum Argument : std::size_t { kCommand, kName, kNode };

/// How long a client library waits where it could not connect again, unless the protocol says
/// otherwise.
constexpr std::int64_t kAgainMs = 1000;

Anchor kept_text(Run& run, lua_State* lua, std::string_view text) {
  push_string(lua, text);
  const Anchor anchor = run.keep(lua, -1);
  lua_pop(lua, 1);
  return anchor;
}

/// Stands for CLIENT TRACKING ON BCAST PREFIX.
constexpr const char* kTrack = "CLIENT TRACKING";

struct Options {
  std::int64_t node = 1, again_ms = kAgainMs;
  bool pattern = false, tracking = false;
  const char* command() const { return tracking ? kTrack : pattern ? "PSUBSCRIBE" : "SUBSCRIBE"; }
};

bool read_options(Vm& vm, lua_State* lua, Options& options) {
  if (lua_isnoneornil(lua, 3)) return true;
  if (!lua_istable(lua, 3)) {
    vm.complain(lua, fmt::format("listen: expected a table of node, pattern, tracking, again_ms, "
                                 "found {}",
                                 text_of(lua, 3)));
    return false;
  }
  for (auto [field, value] :
       {std::pair{"pattern", &options.pattern}, std::pair{"tracking", &options.tracking}}) {
    lua_getfield(lua, 3, field);
    *value = lua_toboolean(lua, -1) != 0;
    lua_pop(lua, 1);
  }
  if (options.pattern && options.tracking) {
    vm.complain(lua, "listen: a pattern, or tracking of all keys that begin so, not both");
    return false;
  }
  return check_fields(vm, lua, 3, "listen", {"node", "pattern", "tracking", "again_ms"}) &&
         read_field(vm, lua, 3, "node", 1, options.node) &&
         read_field(vm, lua, 3, "again_ms", 1, options.again_ms) &&
         check_node(vm, lua, options.node);
}

const char* const kListen = "listen";
int listen(Vm& vm, Run& run, lua_State* lua) {
  Options options;
  if (lua_type(lua, 1) != LUA_TSTRING)
    return refuse(vm, lua,
                  fmt::format("listen: expected a channel's name, found {}", text_of(lua, 1)));
  if (!lua_isfunction(lua, 2))
    return refuse(
        vm, lua,
        fmt::format("listen: expected a function of a message, found {}", text_of(lua, 2)));
  if (!read_options(vm, lua, options)) return refused(lua);
  Task* listener = spawn_task(vm, run, lua, Task::Body::listen, 2);
  if (listener == nullptr) return refused(lua);
  listener->arguments = {kept_text(run, lua, options.command()), run.keep(lua, 1),
                         kept_text(run, lua, std::to_string(options.node - 1))};
  listener->pause_ms = options.again_ms;
  listener->caller = run.current().serial;
  const int serial = listener->serial;
  run.subscribe(*listener);
  run.wait(Wait::Kind::blocked, 0);
  run.current().awaited = {serial};
  return kWait;
}

/// The subscription is confirmed, or it has failed.
int listening(Vm& vm, lua_State* lua) {
  Task& task = vm.run->current();
  const Call answer = task.calls.front();
  task.calls.clear();
  const int results = raised_or_reply(lua, answer);
  if (results != 1) return results;
  lua_pop(lua, 1);
  push_value(lua, HandleValue{task.awaited.front()});
  task.awaited.clear();
  return 1;
}

}  // namespace

void add_listening(lua_State* lua) {
  set_function(lua, kListen, native<in_run<listen, kListen>, listening>);
}

// ---- the listener ----

void Run::subscribe(Task& listener) {
  const auto argument = [&](Argument which) {
    push(lua_, listener.arguments[which]);
    std::string text = text_of(lua_, -1);
    lua_pop(lua_, 1);
    return text;
  };
  Effect effect;
  effect.kind = Effect::Kind::send;
  effect.task = listener.id;
  effect.node = static_cast<std::uint8_t>(std::stoi(argument(kNode)));
  effect.request = {argument(kCommand), argument(kName)};
  if (effect.request[0] == kTrack)
    effect.request = {"CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", argument(kName)};
  effect.subscribes = true;
  emit(std::move(effect));
  start_wait(listener, Wait::Kind::replies, 0);
}

void Run::hear(Task& listener, const Observation& observation) {
  if (listener.wait == Wait::Kind::replies) return subscribed(listener, observation);
  if (observation.kind == Observation::Kind::reply)
    return hear_message(listener, *observation.reply);
  subscribe(listener);
}

/// ["message", channel, text], or ["pmessage", pattern, channel, text], or ["invalidate", keys].
void Run::hear_message(Task& listener, const Reply& message) {
  if (!is_sound(message.kind == Reply::Kind::array && message.items.size() >= 2)) return;
  const std::size_t last = message.items.size() - 1;
  if (message.items.size() == 2) return hear_touched(listener, message.items[1]);
  open_thread(listener);
  push_string(listener.thread, message.items[last].text);
  push_string(listener.thread, message.items[last - 1].text);
  resume(listener, 2);
}

/// The keys that are touched, as a list; nil if all may be.
void Run::hear_touched(Task& listener, const Reply& keys) {
  open_thread(listener);
  lua_State* const lua = listener.thread;
  if (keys.kind == Reply::Kind::array)
    lua_createtable(lua, static_cast<int>(keys.items.size()), 0);
  else
    lua_pushnil(lua);
  for (std::size_t i = 0; i < keys.items.size(); ++i) {
    push_string(lua, keys.items[i].text);
    lua_rawseti(lua, -2, static_cast<lua_Integer>(i + 1));
  }
  resume(listener, 1);
}

/// Who tracks keys has missed what was touched while it was not connected: a cache would be
/// emptied.
void Run::hear_again(Task& listener, const Reply& confirmed) {
  if (confirmed.kind == Reply::Kind::status) hear_touched(listener, Reply::null());
}

/// Who has called listen() goes on, or hears why it cannot. One that listened before tries again,
/// after a while.
void Run::subscribed(Task& listener, const Observation& observation) {
  const bool done = observation.kind == Observation::Kind::reply && !observation.reply->is_error();
  const int serial = listener.serial;
  Task* const caller = task_of(std::exchange(listener.caller, kNobody));
  const bool first = caller != nullptr && caller->awaited == std::vector<int>{serial};
  if (done)
    start_wait(listener, Wait::Kind::message, 0);
  else if (!first)
    start_wait(listener, Wait::Kind::sleep, listener.pause_ms);
  if (!first && done) hear_again(listener, *observation.reply);
  if (!first) return;
  const auto outcome = observation.kind == Observation::Kind::reply    ? Call::Outcome::reply
                       : observation.kind == Observation::Kind::broken ? Call::Outcome::broken
                                                                       : Call::Outcome::timeout;
  caller->calls = {{observation.node, outcome, observation.reply, {}}};
  if (!done) caller->awaited.clear();
  wake(caller->serial);
  if (!done) remove(listener);
}

}  // namespace lockstep::sim::program
