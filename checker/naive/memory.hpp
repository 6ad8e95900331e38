// How much of the past a naive world keeps.
#pragma once

#include <cstdint>

namespace lockstep::checker::naive {

/// What a world keeps of a process's past.
enum class Memory : std::uint8_t {
  history,  ///< all that its incarnation has observed; every token is a new one
  boundary  ///< `Step::boundary` where there is one, and what it observed since; a token that is
            ///< nowhere in the world is used again
};

}  // namespace lockstep::checker::naive
