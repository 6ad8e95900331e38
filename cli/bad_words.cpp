// What is wrong with the words of a command line, said in a line; see the header.
#include "cli/bad_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "cli/command_tree.hpp"
#include "scenarios/suggest.hpp"

namespace lockstep::cli {

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items{""};
  for (const char c : list) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

namespace {

std::string trouble_of_whole_number(const std::string& text) {
  const bool signed_one = text.find_first_of("+-") == 0;
  const auto digits = signed_one ? text.substr(1) : text;
  const bool octal = digits.starts_with('0') && digits.size() > 1;
  if (octal || digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
    return fmt::format("found `{}`, expected a whole number", text);
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc{}) return fmt::format("found `{}`, which is too large", text);
  return "";
}

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
}

/// What is wrong with a value before CLI11 reads it: of "" it makes nothing, of "010" it makes 8,
/// and "nan" is in every range.
std::string trouble_of_value(const std::string& unit, const std::string& text) {
  if (text.empty()) return fmt::format("found nothing, expected {}", unit);
  if (unit == "N" || unit == "MS" || unit == "MB") return trouble_of_whole_number(text);
  if (unit == "S" && !is_number(text)) return fmt::format("found `{}`, expected a number", text);
  return "";
}

/// The same of a list, which is of a type such as "MS,...".
std::string trouble_of_list(const std::string& type, const std::string& text) {
  if (text.empty()) return trouble_of_value(type, text);
  const auto unit = type.substr(0, type.find(','));
  const auto items = items_of(text);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].empty())
      return fmt::format("found nothing as item {} of `{}`, expected {}", i + 1, text, unit);
    if (auto trouble = trouble_of_value(unit, items[i]); !trouble.empty()) return trouble;
  }
  return "";
}

}  // namespace

void check_values(CLI::App& command) {
  for (auto* option : command.get_options([](CLI::Option*) { return true; })) {
    const bool flag = option->get_items_expected_max() == 0;
    const bool many = option->get_positional() && option->get_items_expected_max() > 1;
    const auto type = option->get_type_name().substr(0, option->get_type_name().find(':'));
    if (flag || many) continue;
    const auto trouble = type.ends_with(",...") ? trouble_of_list : trouble_of_value;
    option->check([=](const std::string& text) { return trouble(type, text); });
  }
  for (auto* group : command.get_subcommands([](CLI::App*) { return true; })) check_values(*group);
}

const CLI::App& named_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

namespace {

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : options_of(command))
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

}  // namespace

std::string explained(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = named_command(app);
  const bool whole_program = &command == &app;
  const auto where = whole_program ? std::string() : command.get_name() + ": ";
  const auto see =
      fmt::format("see `lockstep {}--help`", whole_program ? "" : command.get_name() + " ");
  const auto extras = app.remaining(true);
  if (extras.empty()) {
    auto message = std::string(error.what());
    std::replace(message.begin(), message.end(), '\n', ' ');
    return fmt::format("{}{}; {}", where, whole_program ? "no command" : message, see);
  }
  const auto& first = extras.front();
  if (first.substr(0, first.find('=')) == "--redis-version")
    return fmt::format("{}--redis-version has become --server: `--server redis-7.2`", where);
  if (first.starts_with('-'))
    return fmt::format(
        "{}no flag {}{}", where, first,
        scenarios::suggestion(first.substr(0, first.find('=')), flag_names(command)));
  if (whole_program)
    return fmt::format("no command `{}`{}", first,
                       scenarios::suggestion(first, command_names(app)));
  return fmt::format("{}did not expect `{}`; {}", where, first, see);
}

}  // namespace lockstep::cli
