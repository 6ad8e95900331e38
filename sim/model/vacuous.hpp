// What a search has to have seen, besides the witnesses that are asked for, to show anything.
#pragma once

#include "sim/model/model.hpp"

namespace lockstep::sim {

/// Whether Witness::owned is asked for, too: a property is judged by what is in lease keys, and the
/// protocol names none, so that they are only taken to be the lock key. Not where no witness is
/// asked for.
bool asks_for_owned(const Model& model);
/// Whether Witness::freed is asked for, too: who waits is to be told of that.
bool asks_for_freed(const Model& model);
/// Whether Witness::written is asked for, too: somebody's work is judged by what it has written.
/// Not where no witness is asked for.
bool asks_for_written(const Model& model);

}  // namespace lockstep::sim
