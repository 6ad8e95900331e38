// Tells one step of a naive world for a person: who, one sentence, and what changed.
#pragma once

#include "checker/trace/event.hpp"
#include "checker/trace/trace.hpp"

namespace lockstep::checker {

StepProse tell_step(const Event& event);

}  // namespace lockstep::checker
