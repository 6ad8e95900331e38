// See the header.
#include "sim/model/lease_keys.hpp"

#include "sim/client/program.hpp"

namespace lockstep::sim {

std::set<std::string> lease_keys(const Model& model) {
  std::set<std::string> keys;
  for (const ProcessSetup& setup : model.processes)
    for (const std::string& lock : setup.lock_keys)
      for (const std::string& key : model.program->lease_keys(lock)) keys.insert(key);
  return keys;
}

}  // namespace lockstep::sim
