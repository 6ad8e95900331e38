// What a step of a naive world has changed, in words: keys, the resource, clocks, lost requests.
#pragma once

#include <string>
#include <vector>

#include "checker/trace/event.hpp"

namespace lockstep::checker {

struct NewMessage {
  std::string channel, text;
  friend bool operator==(const NewMessage&, const NewMessage&) = default;
};

/// What has been published in this step, once for each listener that is to hear it.
std::vector<NewMessage> new_messages(const Event& event);

/// Only what changed: "lock = A.1, expires in 30000 ms", "lock has expired".
std::vector<std::string> tell_changes(const Event& event);

}  // namespace lockstep::checker
