// Names for JSON, for headers that only pass it on: the whole of nlohmann's costs a second in every
// unit that includes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lockstep::scenarios {

/// Objects keep the order of their keys: steps and roles are told in the order in which they were
/// written.
using Json = nlohmann::ordered_json;

class JsonPlace;

}  // namespace lockstep::scenarios
