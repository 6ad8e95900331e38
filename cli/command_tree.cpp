// The commands and flags that CLI11 has been told of; see the header. A group of flags is a
// subcommand without a name there, with a --help of its own.
#include "cli/command_tree.hpp"

namespace lockstep::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  for (const auto* group :
       command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); }))
    for (const auto* option : options_of(*group))
      if (option->get_lnames() != std::vector<std::string>{"help"}) options.push_back(option);
  return options;
}

}  // namespace lockstep::cli
