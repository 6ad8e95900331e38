// Requests, replies, keys and effects as the sentences of a trace and of a live run tell them: like
// redis-cli in short form, tokens without brackets, scripts by name. (sim/redis/text.hpp is
// redis-cli to the letter.)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/keyspace/visible_key.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Reply;

/// One argument or value: as it is, or quoted if it is empty or holds blanks or control characters.
std::string worded_value(const std::string& bytes);

/// One argument of a request: as it is printed, and without quotes and escapes.
struct ArgumentText {
  std::string printed;
  std::string plain;
};

/// A node's script cache: SHA-1 -> body.
using ScriptCache = std::map<std::string, std::string, std::less<>>;

/// SET, lock, A.1, NX, PX, 30000; EVAL, release.lua, 1, lock, A.1. `scripts` tells which script an
/// EVALSHA means.
std::vector<ArgumentText> argument_texts(const Request& request, const Program& program,
                                         const ScriptCache& scripts);

/// READ; WRITE, with, fencing, token, 3: a request to the resource.
std::vector<ArgumentText> words_for_resource(const Request& request);

/// "EVAL release.lua 1 lock A.1".
std::string printed(const std::vector<ArgumentText>& words);

/// Whether `text` names the first of these words, each printed or plain, with blanks between.
bool begin_with(std::span<const ArgumentText> words, std::string_view text);

/// OK, (nil), 1, "x", (error) ERR ..., [1, "x"].
std::string worded(const Reply& reply);

/// The value of a key: A.1, or {field: value, ...}.
std::string worded(const VisibleValue& value);

/// "A and B are both in the critical section"; where several may be, "A, B and B are in the
/// critical section, and there are 2 permits". `holders`: processes, one for each task.
std::string worded_overlap(const std::vector<std::uint8_t>& holders, int permits);

/// "expires in 30000 ms", "without expiry".
std::string worded_expiry(std::optional<std::int64_t> left_ms);

/// "lock = A.1, expires in 30000 ms".
std::string worded_key(const std::string& name, const VisibleKey& key);

/// "redis", or of several servers "redis-2".
std::string server_name(std::uint8_t server, std::size_t servers);

/// "the lock", or "the lock KEY" where the model has several.
std::string lock_name(const Model& model, std::uint8_t process, std::uint8_t lock);

/// What a client program does: "holds the lock, in the critical section". `request`: what it sends,
/// if it does, and where to.
std::string worded(const Effect& effect, const std::string& lock, const std::string& request);

/// An action as a schedule names it: "deliver A connection 0", "pass 30001 ms".
std::string worded(const Action& action);

}  // namespace lockstep::sim
