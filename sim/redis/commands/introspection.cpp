// COMMAND: what the server says of its own commands (Redis 7.0 server.c).
#include <algorithm>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/command_info.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Those of the server, in order of name.
std::vector<const Command*> commands_of(const Call& call) {
  std::vector<const Command*> commands;
  std::ranges::copy_if(all_commands(), std::back_inserter(commands), [&](const Command* command) {
    return command->more.servers.has(call.execution.mode.version);
  });
  return commands;
}

/// Whether COMMAND LIST FILTERBY lets a command pass. `value` is in lower case, as all names are.
bool passes(const Command& command, const std::string& filter, const std::string& value) {
  if (filter == "module") return false;  // there are none
  if (filter == "pattern") return glob_matches(value, command.name);
  const auto categories = categories_of(command);
  return std::ranges::find(categories, value) != categories.end();
}

/// COMMAND LIST [FILTERBY PATTERN glob | ACLCAT category | MODULE name].
Reply command_list(Call& call) {
  const Request& argv = call.argv;
  const bool filtered = argv.size() == 5 && is_word(argv[2], "filterby");
  if (!filtered && argv.size() != 2) refuse_syntax();
  const std::string filter = filtered ? lower_case(argv[3]) : "";
  const std::string value = filtered ? lower_case(argv[4]) : "";
  if (filtered && filter != "pattern" && filter != "aclcat" && filter != "module") refuse_syntax();
  std::vector<Reply> names;
  const auto visit = [&](const Command& command) {
    if (filtered && !passes(command, filter, value)) return;
    names.push_back(Reply::bulk(std::string(command.name)));
  };
  for (const Command* command : commands_of(call)) {
    visit(*command);
    for (const Command& sub : subcommands_of(*command)) visit(sub);
  }
  return Reply::array(std::move(names));
}

/// COMMAND: of all of them.
Reply run_command_alone(Call& call) {
  std::vector<Reply> infos;
  for (const Command* command : commands_of(call)) infos.push_back(command_info(*command));
  return Reply::array(std::move(infos));
}

/// COMMAND INFO [name ...]: without names of all.
Reply command_infos(Call& call) {
  if (call.argv.size() == 2) return run_command_alone(call);
  std::vector<Reply> infos;
  for (std::size_t i = 2; i < call.argv.size(); ++i)
    infos.push_back(command_info(call.argv[i], call.execution.mode.version));
  return Reply::array(std::move(infos));
}

Reply command_count(Call& call) { return Reply::count(commands_of(call).size()); }

Reply keys_of_command(const Call& call, bool with_flags) {
  const Request& argv = call.argv;
  const Request request(argv.begin() + 2, argv.end());
  const Command* command = find_command(request, call.execution.mode.version);
  if (!command) refuse("ERR Invalid command specified");
  if (!may_have_keys(*command)) refuse("ERR The command has no key arguments");
  if (!arity_fits(command->arity, request.size())) {
    refuse("ERR Invalid number of arguments specified for command");
  }
  std::vector<Reply> keys;
  for (const KeyArgument& key : specified_keys_of(*command, request)) {
    const Reply name = Reply::bulk(request[key.position]);
    keys.push_back(with_flags ? Reply::array({name, statuses(words(key.flags))}) : name);
  }
  if (keys.empty() && !command->is(kNoMandatoryKeys)) {
    refuse("ERR Invalid arguments specified for command");
  }
  return Reply::array(std::move(keys));
}

Reply command_getkeys(Call& call) { return keys_of_command(call, false); }
Reply command_getkeysandflags(Call& call) { return keys_of_command(call, true); }

constexpr Command kIntrospectionRows[] = {
    {{"command", -1, kLoading | kStale, "connection", {}, "nondeterministic_output_order"},
     run_command_alone,
     {kContainer | kNoResp3}},
    {{"command|count", 2, kLoading | kStale, "connection"}, command_count},
    {{"command|docs", -2, kLoading | kStale, "connection", {}, "nondeterministic_output_order"}},
    {{"command|getkeys", -4, kLoading | kStale, "connection"}, command_getkeys},
    {{"command|getkeysandflags", -4, kLoading | kStale, "connection"},
     command_getkeysandflags,
     {kNoResp3}},
    {{"command|help", 2, kLoading | kStale, "connection"}},
    {{"command|info", -2, kLoading | kStale, "connection", {}, "nondeterministic_output_order"},
     command_infos,
     {kNoResp3}},
    {{"command|list", -2, kLoading | kStale, "connection", {}, "nondeterministic_output_order"},
     command_list},
};

}  // namespace

std::span<const Command> introspection_commands() { return kIntrospectionRows; }

}  // namespace lockstep::sim
