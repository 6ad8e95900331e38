// Requests, replies, keys, effects and actions in words.
#include "sim/model/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/table.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Whether `bytes` are UTF-8: what a terminal can show (RFC 3629; overlong forms are let through).
bool is_utf8(std::string_view bytes) {
  unsigned following = 0;
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (following > 0) {
      if ((code & 0xC0U) != 0x80U) return false;
      --following;
    } else if (code >= 0x80) {
      if (code < 0xC2 || code > 0xF4) return false;
      following = 1;
      if (code >= 0xE0) ++following;
      if (code >= 0xF0) ++following;
    }
  }
  return following == 0;
}

std::string in_quotes(const std::string& bytes) {
  static const char* const hex = "0123456789abcdef";
  const bool text_as_it_is = is_utf8(bytes);
  std::string text = "\"";
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (code < 0x20 || code == 0x7f || (code >= 0x80 && !text_as_it_is)) {
      text += "\\x";
      text += hex[code >> 4];
      text += hex[code & 15];
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string worded_script(const std::string& body, const Program& program) {
  const std::string file = program.script_name(body);
  return file.empty() ? "<script of " + std::to_string(body.size()) + " bytes>" : file;
}

std::string worded_sha(const std::string& sha1, const Program& program,
                       const ScriptCache& scripts) {
  std::string lower = sha1;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto script = scripts.find(lower);
  return script == scripts.end() ? worded_value(sha1) : worded_script(script->second, program);
}

ArgumentText as_it_is(const std::string& text) { return {text, text}; }

}  // namespace

std::string worded_value(const std::string& bytes) {
  const std::string text = without_brackets(bytes);
  const bool plain = !text.empty() && is_utf8(text) &&
                     std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return c > ' ' && c != 0x7f && c != '"'; });
  return plain ? text : in_quotes(text);
}

std::vector<ArgumentText> argument_texts(const Request& request, const Program& program,
                                         const ScriptCache& scripts) {
  const Command* command = request.empty() ? nullptr : find_command(request);
  const bool loads = command && command->name == "script|load";
  const bool runs = command && command->has(kRunsScript) && !command->has(kRunsFunction);
  std::vector<ArgumentText> words;
  for (std::size_t i = 0; i < request.size(); ++i) {
    if ((runs && !command->has(kNamesScript) && i == 1) || (loads && i == 2)) {
      words.push_back(as_it_is(worded_script(request[i], program)));
    } else if (runs && i == 1) {
      words.push_back(as_it_is(worded_sha(request[i], program, scripts)));
    } else {
      words.push_back({worded_value(request[i]), without_brackets(request[i])});
    }
  }
  return words;
}

std::vector<ArgumentText> words_for_resource(const Request& request) {
  std::vector<ArgumentText> words{as_it_is(request[0])};
  if (request[1].empty()) return words;
  for (const char* word : {"with", "fencing", "token"}) words.push_back(as_it_is(word));
  words.push_back({worded_value(request[1]), without_brackets(request[1])});
  return words;
}

std::string printed(const std::vector<ArgumentText>& words) {
  std::string text;
  for (const ArgumentText& word : words) text += (text.empty() ? "" : " ") + word.printed;
  return text;
}

bool begin_with(std::span<const ArgumentText> words, std::string_view text) {
  if (text.empty()) return true;
  if (words.empty()) return false;
  const auto fits = [&](std::string_view form) {
    if (form.empty() || !text.starts_with(form)) return false;
    const auto rest = text.substr(form.size());
    const auto next = rest.find_first_not_of(' ');
    if (next == rest.npos) return true;
    return next > 0 && begin_with(words.subspan(1), rest.substr(next));
  };
  return fits(words.front().printed) || fits(words.front().plain);
}

std::string worded(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::null:
      return "(nil)";
    case Reply::Kind::status:
      return without_brackets(reply.text);
    case Reply::Kind::error:
      return "(error) " + without_brackets(reply.text);
    case Reply::Kind::integer:
      return std::to_string(reply.integer);
    case Reply::Kind::bulk:
      return in_quotes(without_brackets(reply.text));
    case Reply::Kind::array:
      break;
  }
  std::string text = "[";
  for (const Reply& item : reply.items) text += (text.size() > 1 ? ", " : "") + worded(item);
  return text + "]";
}

namespace {

std::string listed(const std::string& text) { return worded_value(text); }
std::string listed(const VisibleHash::value_type& item) {
  return worded_value(item.first) + ": " + worded_value(item.second);
}
std::string listed(const std::pair<std::string, double>& item) {
  return worded_value(item.first) + ": " + format_score(item.second);
}

template <class Items>
std::string all_of(const Items& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + listed(item);
  return text;
}

/// As Redis orders them.
std::vector<std::pair<std::string, double>> by_score(const VisibleSortedSet& set) {
  std::vector<std::pair<std::string, double>> items(set.begin(), set.end());
  std::ranges::stable_sort(items, {}, &std::pair<std::string, double>::second);
  return items;
}

}  // namespace

std::string worded(const VisibleValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return worded_value(*text);
  if (const auto* list = std::get_if<VisibleList>(&value)) return "[" + all_of(*list) + "]";
  if (const auto* hash = std::get_if<VisibleHash>(&value)) return "{" + all_of(*hash) + "}";
  if (const auto* set = std::get_if<VisibleSet>(&value)) return "{" + all_of(*set) + "}";
  return "{" + all_of(by_score(std::get<VisibleSortedSet>(value))) + "}";
}

std::string worded_overlap(const std::vector<std::uint8_t>& holders, int permits) {
  const std::string first = process_name(holders.front());
  const std::string last = process_name(holders.back());
  if (permits == 1 && first == last)
    return "two threads of " + first + " are both in the critical section";
  if (permits == 1) return first + " and " + last + " are both in the critical section";
  std::string text = first;
  for (std::size_t i = 1; i + 1 < holders.size(); ++i) text += ", " + process_name(holders[i]);
  return fmt::format("{} and {} are in the critical section, and there are {} permits", text, last,
                     permits);
}

std::string worded_expiry(std::optional<std::int64_t> left_ms) {
  return left_ms ? "expires in " + std::to_string(*left_ms) + " ms" : "without expiry";
}

std::string worded_key(const std::string& name, const VisibleKey& key) {
  return worded_value(name) + " = " + worded(key.value) + ", " + worded_expiry(key.left_ms);
}

std::string server_name(std::uint8_t server, std::size_t servers) {
  return servers == 1 ? "redis" : "redis-" + std::to_string(server + 1);
}

std::string lock_name(const Model& model, std::uint8_t process, std::uint8_t lock) {
  std::set<std::string> keys;
  for (const ProcessSetup& setup : model.processes)
    keys.insert(setup.lock_keys.begin(), setup.lock_keys.end());
  const ProcessSetup& setup = model.processes[process];
  const std::string mode = is_shared(setup, lock) ? " (shared)" : "";
  if (keys.size() == 1) return "the lock" + mode;
  return "the lock " + worded_value(setup.lock_keys[lock]) + mode;
}

std::string worded(const Effect& effect, const std::string& lock, const std::string& request) {
  switch (effect.kind) {
    case Effect::Kind::send:
      return "sends " + request;
    case Effect::Kind::gave_up:
      return "waits for no more answers";
    case Effect::Kind::instant:
      return effect.wall ? "reads its wall clock" : "reads its monotonic clock";
    case Effect::Kind::acquired:
      return "holds " + lock + ", in the critical section" +
             (effect.fencing.empty() ? "" : ", with fencing token " + worded_value(effect.fencing));
    case Effect::Kind::reentered:
      return "enters " + lock + " again, " + std::to_string(effect.depth) + " deep";
    case Effect::Kind::left:
      return effect.ok || effect.silent
                 ? "has left " + lock + " once, still " + std::to_string(effect.depth) + " deep"
                 : "is told that " + lock + " was not its own any more";
    case Effect::Kind::refused:
      return "does not get " + lock;
    case Effect::Kind::releasing:
      return (effect.ok ? "leaves the critical section, releases " : "releases ") + lock;
    case Effect::Kind::released:
      if (effect.silent) return "comes back from release() of " + lock;
      return effect.ok ? "has released " + lock
                       : "is told that " + lock + " was not its own any more";
    case Effect::Kind::failed:
      return fmt::format("{} ends in an error: {}", effect.in_release ? "release()" : "acquire()",
                         on_one_line(without_brackets(effect.text)));
    case Effect::Kind::lost:
      return "gives " + lock + " up as lost, leaves the critical section";
    case Effect::Kind::exited:
      return "its process ends";
    case Effect::Kind::log:
      return "logs \"" + on_one_line(without_brackets(effect.text)) + "\"";
  }
  fail("an effect kind", __FILE__, __LINE__);
}

std::string worded(const Action& action) {
  const auto fields = row(action.kind).fields;
  std::string text = name(action.kind);
  if (fields.process) text += " " + process_name(action.process);
  if (fields.cut) text += fmt::format(" {} cut {}", name(action.step), action.cut);
  const auto step = row(step_of(action)).fields;
  if (step.task) text += " task " + std::to_string(action.task);
  if (step.connection) text += " connection " + std::to_string(action.connection);
  if (fields.node) text += " node " + std::to_string(action.node);
  if (fields.image) text += " image " + std::to_string(action.image);
  if (fields.key) text += " key " + std::to_string(action.key);
  if (fields.amount) text += " " + std::to_string(action.amount_ms) + " ms";
  for (const std::uint8_t choice : action.choices) text += " choice " + std::to_string(choice);
  return text;
}

}  // namespace lockstep::sim
