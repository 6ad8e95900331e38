// See the header.
#include "live/beginning.hpp"

#include <algorithm>

#include "live/compare.hpp"
#include "live/naming.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

bool same_step(const Plan& plan, const PlanStep& step, PlanStep other, const Naming& naming) {
  for (auto& effect : other.effects) effect = naming.named(effect);
  if (effects_difference(plan.model, step.action.process, step.effects, other.effects, 0))
    return false;
  if (step.reply.has_value() != other.reply.has_value()) return false;
  if (step.reply &&
      reply_difference(plan.model, {0, {}, *step.reply, false}, naming.named(**other.reply), 0))
    return false;
  return std::ranges::equal(step.keys, other.keys, [&](const auto& keys, const auto& then) {
    return !keys_difference(keys, naming.named(then), 0);
  });
}

}  // namespace

bool goes_otherwise(const Plan& plan, const Plan& begun_then, std::int64_t unix_ms) {
  const Naming naming(unix_ms);
  return !std::ranges::equal(plan.steps, begun_then.steps, [&](const auto& step, const auto& then) {
    return same_step(plan, step, then, naming);
  });
}

}  // namespace lockstep::live
