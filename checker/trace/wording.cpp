// Requests, replies, keys and actions in words.
#include "checker/trace/wording.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/redis/commands/numbers.hpp"

namespace lockstep::checker {

namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

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

std::string quoted(const std::string& bytes) {
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

std::string worded_script(const std::string& body, const sim::Program& program) {
  const std::string file = program.script_name(body);
  return file.empty() ? "<script of " + std::to_string(body.size()) + " bytes>" : file;
}

std::string worded_sha(const std::string& sha1, const sim::Program& program,
                       const sim::Keyspace& keyspace) {
  std::string lower = sha1;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto script = keyspace.scripts.find(lower);
  return script == keyspace.scripts.end() ? worded_value(sha1)
                                          : worded_script(script->second, program);
}

}  // namespace

std::string worded_value(const std::string& bytes) {
  const std::string text = sim::without_brackets(bytes);
  const bool plain = !text.empty() && is_utf8(text) &&
                     std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return c > ' ' && c != 0x7f && c != '"'; });
  return plain ? text : quoted(text);
}

std::string worded(const sim::Request& request, const sim::Program& program,
                   const sim::Keyspace& keyspace) {
  const std::string command = request.empty() ? "" : upper(request[0]);
  const bool load = command == "SCRIPT" && request.size() == 3 && upper(request[1]) == "LOAD";
  std::string text;
  for (std::size_t i = 0; i < request.size(); ++i) {
    if (i > 0) text += ' ';
    if ((command == "EVAL" && i == 1) || (load && i == 2)) {
      text += worded_script(request[i], program);
    } else if (command == "EVALSHA" && i == 1) {
      text += worded_sha(request[i], program, keyspace);
    } else {
      text += worded_value(request[i]);
    }
  }
  return text;
}

std::string worded_for_resource(const sim::Request& request) {
  return request[1].empty() ? request[0]
                            : request[0] + " with fencing token " + worded_value(request[1]);
}

std::string worded(const sim::Reply& reply) {
  switch (reply.kind) {
    case sim::Reply::Kind::null:
      return "(nil)";
    case sim::Reply::Kind::status:
      return sim::without_brackets(reply.text);
    case sim::Reply::Kind::error:
      return "(error) " + sim::without_brackets(reply.text);
    case sim::Reply::Kind::integer:
      return std::to_string(reply.integer);
    case sim::Reply::Kind::bulk:
      return quoted(sim::without_brackets(reply.text));
    case sim::Reply::Kind::array:
      break;
  }
  std::string text = "[";
  for (const sim::Reply& item : reply.items) text += (text.size() > 1 ? ", " : "") + worded(item);
  return text + "]";
}

std::string worded(const sim::Entry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return worded_value(*text);
  std::string all;
  const auto add = [&all](const std::string& text) { all += (all.empty() ? "" : ", ") + text; };
  if (const auto* list = std::get_if<sim::List>(&entry.value)) {
    for (const auto& element : *list) add(worded_value(element.value));
    return "[" + all + "]";
  }
  if (const auto* hash = std::get_if<sim::Hash>(&entry.value)) {
    for (const auto& [field, value] : *hash) {
      add(worded_value(field) + ": " + worded_value(value.value));
    }
  } else if (const auto* set = std::get_if<sim::Set>(&entry.value)) {
    for (const auto& [member, about] : *set) add(worded_value(member));
  } else {
    for (const auto* item : sim::in_order(std::get<sim::SortedSet>(entry.value))) {
      add(worded_value(item->first) + ": " + sim::format_score(item->second.score));
    }
  }
  return "{" + all + "}";
}

std::string worded(const sim::Action& action) {
  const auto fields = row(action.kind).fields;
  std::string text = name(action.kind);
  if (fields.process) text += " " + sim::process_name(action.process);
  if (fields.task) text += " task " + std::to_string(action.task);
  if (fields.connection) text += " connection " + std::to_string(action.connection);
  if (fields.node) text += " node " + std::to_string(action.node);
  if (fields.image) text += " image " + std::to_string(action.image);
  if (fields.amount) text += " " + std::to_string(action.amount_ms) + " ms";
  for (const std::uint8_t choice : action.choices) text += " choice " + std::to_string(choice);
  return text;
}

}  // namespace lockstep::checker
