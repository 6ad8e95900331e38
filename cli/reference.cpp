// The manual page and the completions of shells; see the header.
#include "cli/reference.hpp"

#include <fmt/format.h>

#include <sstream>

#include "cli/command_tree.hpp"
#include "sim/base/check.hpp"

namespace lockstep::cli {

namespace {

/// "--fault", or of a positional its name.
std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name() : "--" + option.get_lnames().at(0);
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string type_of(const CLI::Option& option) {
  return option.get_type_name().substr(0, option.get_type_name().find(':'));
}

// ---- what a value may be ------------------------------------------------------------------------

/// Which groups of `lockstep list` have the values, in words; empty: none.
std::string listed_in(const CLI::Option& option) {
  const auto name = name_of(option);
  const auto type = type_of(option);
  if (name == "--fault") return "faults";
  if (name == "--property") return "properties";
  if (!option.get_positional()) return "";
  std::string groups = type.find("PROTOCOL") != std::string::npos ? "protocols" : "";
  if (type.find("SCENARIO") != std::string::npos)
    groups += std::string(groups.empty() ? "" : " ") + "scenarios";
  return groups;
}

/// The first word of each indented line that has one, of what is printed for each group.
std::string first_words_of(const std::string& loop) {
  return loop + R"( 2>/dev/null | sed -n "s/^  \([a-z][^ ]*\).*/\1/p")";
}

std::string listing(const std::string& groups) {  // in bash and zsh
  return first_words_of(fmt::format("for group in {}; do lockstep list $group; done", groups));
}

std::string fish_listing(const std::string& groups) {
  return first_words_of(fmt::format("for group in {}; lockstep list $group; end", groups));
}

std::string positional_group(const CLI::App& command) {
  for (const auto* option : options_of(command))
    if (option->get_positional() && !listed_in(*option).empty()) return listed_in(*option);
  return "";
}

// ---- shells -------------------------------------------------------------------------------------

std::string shell_quoted(const std::string& text, const std::string& quote_inside) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? quote_inside : std::string(1, c);
  return result + "'";
}

/// In a shell of Bourne's family.
std::string shell_quoted(const std::string& text) { return shell_quoted(text, R"('\'')"); }

std::string for_bash(const CLI::App& app) {
  std::string commands, flags, values;
  for (const auto* command : commands_of(app)) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string names;
    for (const auto* option : options_of(*command)) {
      if (option->get_positional()) continue;
      names += (names.empty() ? "" : " ") + name_of(*option);
      const auto group = listed_in(*option);
      if (!group.empty() && values.find(name_of(*option) + ")") == std::string::npos)
        values += fmt::format("    {}) words=$({}) ;;\n", name_of(*option), listing(group));
    }
    const auto group = positional_group(*command);
    flags += fmt::format("    {}) flags={}", command->get_name(), shell_quoted(names));
    flags += group.empty() ? " ;;\n" : fmt::format("; names={} ;;\n", shell_quoted(group));
  }
  return fmt::format(R"(# bash completion of lockstep: lockstep completion bash
_lockstep() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags= names= words= group
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $before in
{}  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    [[ -n $names ]] && words=$({})
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}}
complete -F _lockstep lockstep
)",
                     commands, flags, values, listing("$names"));
}

/// A description within brackets, which would end at the first one of its own.
std::string in_brackets(std::string text) {
  for (char& c : text) c = c == '[' ? '(' : c == ']' ? ')' : c;
  return "[" + text + "]";
}

std::string for_zsh(const CLI::App& app) {
  std::string commands, flags;
  for (const auto* command : commands_of(app)) {
    commands +=
        "    " + shell_quoted(command->get_name() + ":" + command->get_description()) + "\n";
    flags += fmt::format("    {}) _arguments", command->get_name());
    for (const auto* option : options_of(*command)) {
      if (option->get_positional()) continue;
      auto spec = name_of(*option) + in_brackets(option->get_description());
      const auto group = listed_in(*option);
      if (takes_value(*option))
        spec += fmt::format(":{}:{}", type_of(*option),
                            group.empty() ? "_files" : "_lockstep_names " + group);
      flags += " \\\n      " + shell_quoted(spec);
    }
    const auto group = positional_group(*command);
    flags += " \\\n      " +
             shell_quoted("*:what:" + (group.empty() ? "_files" : "_lockstep_names " + group)) +
             " ;;\n";
  }
  return fmt::format(R"(#compdef lockstep
# zsh completion of lockstep: lockstep completion zsh
_lockstep_names() {{
  local -a names
  local group
  names=($({}))
  compadd -a names
  _files
}}
_lockstep() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
_lockstep "$@"
)",
                     listing("\"$@\""), commands, flags);
}

std::string for_fish(const CLI::App& app) {
  const auto text = [](const std::string& words) { return shell_quoted(words, R"(\')"); };
  std::string lines = "# fish completion of lockstep: lockstep completion fish\n";
  for (const auto* command : commands_of(app)) {
    lines += fmt::format("complete -c lockstep -n __fish_use_subcommand -f -a {} -d {}\n",
                         command->get_name(), text(command->get_description()));
    const auto in = fmt::format("complete -c lockstep -n '__fish_seen_subcommand_from {}'",
                                command->get_name());
    for (const auto* option : options_of(*command)) {
      if (option->get_positional()) continue;
      lines += fmt::format("{} -l {} -d {}", in, option->get_lnames().at(0),
                           text(option->get_description()));
      const auto group = listed_in(*option);
      if (!group.empty())
        lines += " -x -a " + text("(" + fish_listing(group) + ")");
      else if (takes_value(*option))
        lines += " -r";
      lines += '\n';
    }
    if (const auto group = positional_group(*command); !group.empty())
      lines += in + " -a " + text("(" + fish_listing(group) + ")") + '\n';
  }
  return lines;
}

// ---- the manual page ----------------------------------------------------------------------------

/// A line of text as roff shows it, and not a command of its own.
std::string roff_line(const std::string& line) {
  std::string text = line.starts_with('.') || line.starts_with('\'') ? "\\&" : "";
  for (const char c : line) {
    if (c == '\\')
      text += "\\e";
    else if (c == '-')
      text += "\\-";
    else
      text += c;
  }
  return text;
}

/// Lines that are shown as they are.
std::string roff_lines(const std::string& lines) {
  std::istringstream in(lines);
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (!text.empty() || !line.empty()) text += roff_line(line) + '\n';
  return ".nf\n" + text + ".fi\n";
}

std::string described(const CLI::Option& option) {
  std::string entry = ".TP\n\\fB" + roff_line(name_of(option)) + "\\fR";
  if (takes_value(option)) entry += " \\fI" + roff_line(type_of(option)) + "\\fR";
  return entry + '\n' + roff_line(option.get_description()) + '\n';
}

std::string synopsis(const CLI::App& command) {
  std::string line = "\\fBlockstep " + command.get_name() + "\\fR [\\fIOPTIONS\\fR]";
  for (const auto* option : options_of(command)) {
    if (!option->get_positional()) continue;
    const auto name = "\\fI" + roff_line(option->get_name()) + "\\fR";
    line += option->get_required() ? " " + name : " [" + name + "]";
  }
  return line;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH LOCKSTEP 1 \"\" \"lockstep {}\" \"User Commands\"\n.SH NAME\n"
      "lockstep \\- simulator and model checker for locks that are kept in Redis\n"
      ".SH SYNOPSIS\n",
      LOCKSTEP_VERSION);
  std::string commands;
  for (const auto* command : commands_of(app)) {
    page += synopsis(*command) + "\n.br\n";
    commands += ".SS " + command->get_name() + '\n' + roff_line(command->get_description()) +
                ".\n.PP\n" + synopsis(*command) + '\n';
    for (const auto* option : options_of(*command)) commands += described(*option);
    commands += ".PP\n" + roff_lines(command->get_footer());
  }
  page += ".SH DESCRIPTION\n" + roff_lines(app.get_description()) + roff_lines(app.get_footer());
  page += ".SH COMMANDS\n" + commands;
  return page +
         ".SH ENVIRONMENT\n.TP\n\\fBLOCKSTEP_HOME\\fR\nThe folder that holds the shipped "
         "protocols and scenarios.\n.TP\n\\fBNO_COLOR\\fR\nIf set, no colours.\n";
}

const std::vector<std::string>& shells_with_completion() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return for_bash(app);
  if (shell == "zsh") return for_zsh(app);
  LOCKSTEP_CHECK(shell == "fish");
  return for_fish(app);
}

}  // namespace lockstep::cli
