// Repeating, shortening and showing what differs; see the header.
#include "conform/difference.hpp"

#include "sim/redis/text.hpp"

namespace lockstep::conform {

namespace {

std::string shown(const std::optional<sim::SharedReply>& reply) {
  return reply ? sim::shown(**reply) : "(nothing)";
}

}  // namespace

std::vector<Step> shortened(std::vector<Step> steps,
                            const std::function<bool(const std::vector<Step>&)>& differs) {
  for (std::size_t chunk = (steps.size() + 1) / 2; chunk > 0;) {
    bool shorter = false;
    for (std::size_t end = steps.size(); end > 0;) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      auto fewer = steps;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (!fewer.empty() && differs(fewer)) {
        steps = std::move(fewer);
        shorter = true;
      }
      end = begin;
    }
    if (chunk > 1)
      chunk = (chunk + 1) / 2;
    else if (!shorter)
      break;
  }
  return steps;
}

std::optional<Finding> examined(const std::vector<Step>& steps, const Run& again,
                                const Run& carefully) {
  if (!again(steps)) return std::nullopt;
  const auto differs = [&](const std::vector<Step>& fewer) { return carefully(fewer).has_value(); };
  Finding finding{steps, steps.size(), {}};
  if (differs(steps)) finding.steps = shortened(steps, differs);
  auto difference = again(finding.steps);
  if (!difference) return std::nullopt;
  finding.difference = std::move(*difference);
  return finding;
}

std::string shown(const Step& step) {
  std::string prompt = step.server == 0 ? "redis" : "replica";
  if (step.connection > 0) prompt += " connection " + std::to_string(step.connection + 1);
  return prompt + "> " + sim::line_of(step.request) + "\n";
}

std::string shown(const Difference& difference) {
  std::string text = shown(difference.step);
  if (difference.connection != difference.step.connection)
    text += "to connection " + std::to_string(difference.connection + 1) + "\n";
  return text + "redis-server\n" + shown(difference.redis) + "\nlockstep\n" +
         shown(difference.lockstep) + "\n";
}

std::string shown(const Finding& finding) {
  std::string text;
  for (const auto& step : finding.steps) text += shown(step);
  return text + "\nThe first difference:\n" + shown(finding.difference);
}

}  // namespace lockstep::conform
