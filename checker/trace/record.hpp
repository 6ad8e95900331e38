// What happened in one step of a naive world, as data.
#pragma once

#include "checker/trace/event.hpp"
#include "checker/trace/trace.hpp"

namespace lockstep::checker {

StepData record(const Event& event);

}  // namespace lockstep::checker
