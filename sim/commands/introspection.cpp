// COMMAND: what the server says of its own commands (Redis 7.0 server.c).
#include "sim/commands/connection.hpp"
#include "sim/commands/glob.hpp"
#include "sim/commands/handlers.hpp"
#include "sim/commands/keys_of.hpp"

namespace lockstep::sim {

namespace {

/// COMMAND LIST [FILTERBY PATTERN glob | MODULE name]; there are no modules.
Reply command_list(Call& call) {
  const Request& argv = call.argv;
  if (argv.size() != 2 && (argv.size() != 5 || !is_word(argv[2], "filterby"))) refuse_syntax();
  if (argv.size() == 5 && is_word(argv[3], "module")) return Reply::array({});
  if (argv.size() == 5 && is_word(argv[3], "aclcat")) not_simulated(call);
  if (argv.size() == 5 && !is_word(argv[3], "pattern")) refuse_syntax();
  std::vector<Reply> names;
  for (const Command& command : all_commands()) {
    if (argv.size() == 5 && !glob_matches(argv[4], command.name)) continue;
    names.push_back(Reply::bulk(std::string(command.name)));
  }
  return Reply::array(std::move(names));
}

Reply command_getkeys(const Request& argv) {
  const Request request(argv.begin() + 2, argv.end());
  const Command* command = find_command(request[0]);
  if (!command) refuse("ERR Invalid command specified");
  if (!may_have_keys(*command)) refuse("ERR The command has no key arguments");
  if (!arity_fits(*command, request.size())) {
    refuse("ERR Invalid number of arguments specified for command");
  }
  const auto positions = keys_of(*command, request);
  if (!positions) refuse("ERR Invalid arguments specified for command");
  std::vector<Reply> keys;
  for (const std::size_t position : *positions) keys.push_back(Reply::bulk(request[position]));
  return Reply::array(std::move(keys));
}

}  // namespace

Reply run_command_command(Call& call) {
  if (call.argv.size() == 1) not_simulated(call);
  const std::string name = lower_case(call.argv[1]);
  if (name == "count") return Reply::number(static_cast<std::int64_t>(all_commands().size()));
  if (name == "list") return command_list(call);
  if (name == "getkeys") return command_getkeys(call.argv);
  not_simulated(call);
}

}  // namespace lockstep::sim
