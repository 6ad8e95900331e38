// Random steps; see the header.
#include "conform/step_source.hpp"

#include "conform/scripts.hpp"

namespace lockstep::conform {

StepSource::StepSource(const std::vector<std::string>& scripts, const Repertoire& repertoire,
                       Dice& dice)
    : scripts_(scripts),
      repertoire_(repertoire),
      dice_(dice),
      many_(dice.below(2) == 0),
      functions_(dice.one_in(6) && repertoire.functions),
      connections_(many_ ? 1 + dice.below(kMostConnections) : 1),
      home_(repertoire.any(dice)),
      theme_(repertoire.any_of_connections(dice)) {}

Step StepSource::next() {
  if (dice_.below(6) == 0) connection_ = dice_.below(connections_);
  const auto choice = dice_.below(20);
  if (choice < 2) return {connection_, random_eval(scripts_, dice_)};
  if (choice < 4) return {connection_, random_script_command(repertoire_, dice_)};
  if (functions_ && choice < 10) return {connection_, random_function_command(repertoire_, dice_)};
  if (many_ && choice < 10) return {connection_, random_command(theme_, dice_)};
  if (choice < 16) return {connection_, random_command(home_, dice_)};
  return {connection_, random_command(repertoire_.any(dice_), dice_)};
}

}  // namespace lockstep::conform
