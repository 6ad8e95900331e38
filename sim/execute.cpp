// Runs one command: looks it up, checks what Redis checks before it runs anything, and turns
// refusals into replies.
#include "sim/execute.hpp"

#include "sim/commands/command.hpp"
#include "sim/error.hpp"

namespace lockstep::sim {

namespace {

/// Error replies are one line: Redis puts blanks in place of line breaks (networking.c).
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return text;
}

/// As C's "%.*s": at most `limit` bytes, up to the first NUL.
std::string_view c_prefix(std::string_view text, std::size_t limit) {
  return text.substr(0, std::min(limit, std::min(text.find('\0'), text.size())));
}

Reply unknown_command(const Request& request) {
  constexpr std::size_t kLimit = 128;
  std::string args;
  for (std::size_t i = 1; i < request.size() && args.size() < kLimit; ++i) {
    args += '\'';
    args += c_prefix(request[i], kLimit - args.size() + 1);
    args += "' ";
  }
  std::string text = "ERR unknown command '";
  text += c_prefix(request[0], kLimit);
  return Reply::error(one_line(text + "', with args beginning with: " + args));
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() && lower_case(text) == word;
}

void refuse(std::string text) { throw Refused{std::move(text)}; }
void refuse_syntax() { refuse("ERR syntax error"); }
void refuse_arity(std::string_view command) {
  refuse("ERR wrong number of arguments for '" + std::string(command) + "' command");
}

bool arity_fits(const Command& command, std::size_t arguments) {
  const auto count = static_cast<int>(arguments);
  return command.arity >= 0 ? count == command.arity : count >= -command.arity;
}

Reply run_command(const Command& command, Call& call) {
  if (!command.run) {
    throw BadInput("command '" + std::string(command.name) +
                   "': Redis 7.0 has it, but it is not simulated yet");
  }
  try {
    return command.run(call);
  } catch (Refused& refused) {
    return Reply::error(one_line(std::move(refused.text)));
  }
}

Reply execute(Keyspace& keyspace, const Request& request, Execution& execution) {
  if (request.empty()) throw BadInput("an empty request: expected a command name");
  keyspace.purge(execution.now);
  const Command* command = find_command(request[0]);
  if (!command) return unknown_command(request);
  if (!arity_fits(*command, request.size())) {
    return Reply::error("ERR wrong number of arguments for '" + std::string(command->name) +
                        "' command");
  }
  Call call{keyspace, request, execution};
  Reply reply = run_command(*command, call);
  keyspace.purge(execution.now);  // SET ... PXAT in the past leaves nothing behind
  return reply;
}

Entry* Call::find(const std::string& key) {
  const auto it = keyspace.keys.find(key);
  if (it == keyspace.keys.end()) return nullptr;
  if (it->second.expires && execution.now > *it->second.expires) {
    keyspace.keys.erase(it);
    return nullptr;
  }
  return &it->second;
}

Entry& Call::put(const std::string& key, decltype(Entry::value) value) {
  return keyspace.keys.insert_or_assign(key, Entry{std::move(value), {}, execution.sender})
      .first->second;
}

void Call::erase(const std::string& key) { keyspace.keys.erase(key); }

}  // namespace lockstep::sim
