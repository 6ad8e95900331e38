// See the header.
#include "sim/keyspace/refused.hpp"

#include <utility>

namespace lockstep::sim {

void refuse(std::string text) { throw Refused{std::move(text)}; }

}  // namespace lockstep::sim
