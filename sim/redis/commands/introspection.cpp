// COMMAND: what the server says of its own commands (Redis 7.0 server.c).
#include <algorithm>

#include "sim/redis/commands/command_entry.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/handlers.hpp"
#include "sim/redis/commands/keys_of.hpp"

namespace lockstep::sim {

namespace {

/// Whether COMMAND LIST FILTERBY lets a command pass. `value` is in lower case, as all names are.
bool passes(const CommandEntry& entry, const std::string& filter, const std::string& value) {
  if (filter == "module") return false;  // there are none
  if (filter == "pattern") return glob_matches(value, entry.name);
  const auto categories = categories_of(entry);
  return std::ranges::find(categories, value) != categories.end();
}

/// COMMAND LIST [FILTERBY PATTERN glob | ACLCAT category | MODULE name].
Reply command_list(const Request& argv) {
  const bool filtered = argv.size() == 5 && is_word(argv[2], "filterby");
  if (!filtered && argv.size() != 2) refuse_syntax();
  const std::string filter = filtered ? lower_case(argv[3]) : "";
  const std::string value = filtered ? lower_case(argv[4]) : "";
  if (filtered && filter != "pattern" && filter != "aclcat" && filter != "module") refuse_syntax();
  std::vector<Reply> names;
  const auto visit = [&](const CommandEntry& entry) {
    if (!filtered || passes(entry, filter, value)) names.push_back(Reply::bulk(entry.name));
  };
  for (const Command& command : all_commands()) {
    visit(entry_of(command));
    for (const Subcommand& sub : subcommands_of(command.name)) visit(entry_of(sub));
  }
  return Reply::array(std::move(names));
}

/// COMMAND INFO [name ...]: without names of all.
Reply command_infos(std::span<const std::string> names) {
  std::vector<Reply> infos;
  for (const std::string& name : names) infos.push_back(command_info(name));
  if (names.empty()) {
    for (const Command& command : all_commands()) infos.push_back(command_info(command));
  }
  return Reply::array(std::move(infos));
}

/// COMMAND GETKEYS; with flags: COMMAND GETKEYSANDFLAGS.
Reply command_getkeys(const Request& argv, bool with_flags) {
  const Request request(argv.begin() + 2, argv.end());
  const auto entry = find_entry(request);
  if (!entry) refuse("ERR Invalid command specified");
  if (!may_have_keys(*entry)) refuse("ERR The command has no key arguments");
  if (!arity_fits(entry->arity, request.size())) {
    refuse("ERR Invalid number of arguments specified for command");
  }
  std::vector<Reply> keys;
  for (const KeyArgument& key : specified_keys_of(*entry, request)) {
    const Reply name = Reply::bulk(request[key.position]);
    keys.push_back(with_flags ? Reply::array({name, statuses(words(key.flags))}) : name);
  }
  if (keys.empty() && !has_word(entry->more->flags, "no_mandatory_keys")) {
    refuse("ERR Invalid arguments specified for command");
  }
  return Reply::array(std::move(keys));
}

}  // namespace

Reply run_command_command(Call& call) {
  const std::span<const std::string> argv(call.argv);
  if (argv.size() == 1) return command_infos({});
  const std::string name = lower_case(argv[1]);
  if (name == "count") return Reply::number(static_cast<std::int64_t>(all_commands().size()));
  if (name == "list") return command_list(call.argv);
  if (name == "info") return command_infos(argv.subspan(2));
  if (name == "getkeys" || name == "getkeysandflags") {
    return command_getkeys(call.argv, name == "getkeysandflags");
  }
  not_simulated(call);
}

}  // namespace lockstep::sim
