// Shebang lines of scripts and function libraries.
#include "sim/redis/script/shebang.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/redis/commands/admission.hpp"

namespace lockstep::sim {

namespace {

constexpr std::array kFlags{NamedFlag{"no-writes", kNoWrites}, NamedFlag{"allow-oom", kAllowOom},
                            NamedFlag{"allow-stale", kAllowStale},
                            NamedFlag{"no-cluster", kNoCluster},
                            NamedFlag{"allow-cross-slot-keys", kAllowCrossSlotKeys}};

constexpr std::string_view kBlanks = " \t\v\f\r";

/// The first line's words. Quotes, which Redis would read as a shell does, are refused.
std::vector<std::string_view> words_of(std::string_view line) {
  if (line.find_first_of("\"'") != line.npos) throw BadInput("a shebang line with quotes");
  std::vector<std::string_view> found;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    found.push_back(line.substr(at, end - at));
    at = end;
  }
  return found;
}

/// Parts between commas; none of an empty text.
std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    found.push_back(text.substr(0, comma));
    if (comma == text.npos) return found;
    text.remove_prefix(comma + 1);
    if (text.empty()) found.push_back(text);
  }
  return found;
}

}  // namespace

std::span<const NamedFlag> script_flags() { return kFlags; }

std::uint8_t script_flag(std::string_view name) {
  const auto* it = std::ranges::find(kFlags, name, &NamedFlag::name);
  return it == kFlags.end() ? 0 : it->flag;
}

namespace {

/// Where the first line ends; npos if it does not, or has a zero byte, which ends a text in C.
std::size_t end_of_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return text.find('\0') < end ? text.npos : end;
}

/// Throws Refused if a script's engine, "#!lua", is another one. A Valkey asks after the options.
void expect_lua(std::string_view engine, ServerVersion version) {
  if (is_valkey(version)) {
    const std::string_view named = engine.substr(2);
    if (!is_word(named, "lua"))
      refuse("ERR Could not find scripting engine '" + std::string(named) + "'");
  } else if (engine != "#!lua") {
    refuse("ERR Unexpected engine in script shebang: " + std::string(engine));
  }
}

}  // namespace

Shebang script_shebang(std::string_view body, ServerVersion version) {
  if (!body.starts_with("#!")) return {};
  const std::size_t end = end_of_line(body);
  if (end == body.npos) refuse("ERR Invalid script shebang");
  const auto line = words_of(body.substr(0, end));
  if (!is_valkey(version)) expect_lua(line[0], version);
  Shebang shebang{true, 0};
  for (const std::string_view option : std::span(line).subspan(1)) {
    if (!option.starts_with("flags=")) {
      refuse("ERR Unknown lua shebang option: " + std::string(option));
    }
    for (const std::string_view name : parts(option.substr(6))) {
      const std::uint8_t flag = script_flag(name);
      if (flag == 0) refuse("ERR Unexpected flag in script shebang: " + std::string(name));
      shebang.flags |= flag;
    }
  }
  if (is_valkey(version)) expect_lua(line[0], version);
  return shebang;
}

unsigned declared_command_flags(std::uint8_t flags) {
  if ((flags & kNoWrites) != 0) return 0;
  return (flags & kAllowOom) != 0 ? unsigned{kWrite} : kWrite | kDenyOom;
}

void check_script_flags(const ServerMode& mode, std::uint8_t flags, bool read_only) {
  const bool writes = (flags & kNoWrites) == 0;
  auto refusal = mode_refusal(declared_command_flags(flags), mode);
  if (!refusal.empty()) refuse(std::move(refusal));
  if (mode.cluster && (flags & kNoCluster) != 0) {
    refuse("ERR Can not run script on cluster, 'no-cluster' flag is set.");
  }
  if (read_only && writes) {
    refuse("ERR Can not execute a script with write flag using *_ro command.");
  }
}

bool is_library_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string library_name(std::string_view code) {
  if (!code.starts_with("#!")) refuse("ERR Missing library metadata");
  const std::size_t end = end_of_line(code);
  if (end == code.npos) refuse("ERR Invalid library metadata");
  const auto line = words_of(code.substr(0, end));
  std::string name;
  bool named = false;
  for (const std::string_view option : std::span(line).subspan(1)) {
    if (!is_word(option.substr(0, 5), "name=")) {
      refuse("ERR Invalid metadata value given: " + std::string(option));
    }
    if (named) refuse("ERR Invalid metadata value, name argument was given multiple times");
    named = true;
    name = option.substr(5);
  }
  if (!named) refuse("ERR Library name was not given");
  if (!is_library_name(name)) {
    refuse(
        "ERR Library names can only contain letters, numbers, or underscores(_) and must be at "
        "least one character long");
  }
  const std::string_view engine = line[0].substr(2);
  if (!is_word(engine, "lua")) refuse("ERR Engine '" + std::string(engine) + "' not found");
  return name;
}

std::string_view without_shebang(std::string_view text) {
  if (!text.starts_with("#!")) return text;
  return text.substr(std::min(text.find('\n'), text.size()));
}

}  // namespace lockstep::sim
