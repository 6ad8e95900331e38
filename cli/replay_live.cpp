// Chooses the times, starts the servers, replays, tells the outcome; see the header.
#include "cli/replay_live.hpp"

#include <fmt/format.h>

#include <optional>

#include "checker/explorer.hpp"
#include "checker/trace/rescale.hpp"
#include "cli/exit_code.hpp"
#include "cli/live_report.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"
#include "live/beginning.hpp"
#include "live/connection.hpp"
#include "live/real_server.hpp"
#include "live/replay.hpp"
#include "sim/base/error.hpp"
#include "sim/base/time.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::cli {

namespace {

using Replayed = live::Confirmation::Outcome;

/// The leases to try, one after another, while the machine is too slow for the one before.
constexpr std::array<std::int64_t, 4> kLeasesMs{1000, 2000, 4000, 8000};

live::Plan plan_of(const checker::Rescaled& scaled, const Recorded& run) {
  live::Plan plan;
  plan.model = scaled.model;
  for (const auto& [data, prose] : scaled.trace.steps)
    plan.steps.push_back({data.action, data.effects, data.departures, data.connection, data.reply,
                          data.looked_at_time, data.looked_at_clock, data.keys, data.closes,
                          data.serves});
  plan.violated = run.violated;
  if (run.violated == sim::Property::deadlock)
    plan.patience_ms = checker::patience_ms(scaled.model);
  plan.endless = run.violated && !scaled.trace.violated;
  plan.stuck = scaled.trace.stuck;
  return plan;
}

struct Attempt {
  checker::Rescaled scaled;
  live::Confirmation confirmation;
};

/// Our own servers, or the one that the person has named. Throws BadInput if it cannot be used.
std::vector<live::RunningServer> servers_of(const live::Plan& plan, const std::string& redis) {
  auto servers = redis.empty() ? live::own_servers(plan.model)
                               : std::vector{live::RunningServer{live::parse_address(redis), {}}};
  for (const auto& server : servers) {
    live::expect_usable(server.address);
    live::expect_keyspace_events(server.address, plan.model.keyspace_events);
    live::expect_commands(server.address, live::requests_of(plan), plan.model.server);
  }
  return servers;
}

void expect_one_server(const sim::Model& model) {
  const auto count = sim::servers_of(model).count();
  if (count > 1)
    throw sim::BadInput(
        fmt::format("--redis: it names one server, and this run has {}: without it, as many are "
                    "started",
                    count));
}

/// Whether the same run goes otherwise in the simulator, too, if it begins when the real one did.
bool hangs_on_beginning(const Attempt& done, const live::Plan& plan, const Recorded& run) {
  auto then = done.scaled;
  then.model.begins_ms = done.confirmation.began_ms - sim::kEpoch.ms;
  sim::Schedule schedule;
  for (const auto& step : then.trace.steps) schedule.push_back(step.data.action);
  try {
    then.trace = checker::walked(then.model, schedule).trace();
  } catch (const sim::BadInput&) {
    return true;  // it is not possible at all
  }
  return live::goes_otherwise(plan, plan_of(then, run), done.confirmation.began_ms);
}

Attempt attempt(const Recorded& run, const std::string& redis, std::int64_t least_lease_ms) {
  if (!redis.empty()) expect_one_server(run.model);
  Attempt done{checker::rescale(run.model, run.schedule, least_lease_ms, run.place), {}};
  auto plan = plan_of(done.scaled, run);
  if (const auto why = live::not_reproducible(plan, redis.empty())) {
    done.confirmation.outcome = Replayed::impossible;
    done.confirmation.detail = *why;
    return done;
  }
  auto& result = done.confirmation = live::replay(plan, servers_of(plan, redis));
  if (result.outcome == Replayed::differs && live::has_ends(plan)) {
    plan.ends_are_over = true;
    const auto other = live::replay(plan, servers_of(plan, redis));
    if (other.outcome != Replayed::differs) result = other;
  }
  if (result.outcome == Replayed::differs && live::looks_at_time(plan) &&
      hangs_on_beginning(done, plan, run)) {
    result.outcome = Replayed::impossible;
    result.detail = fmt::format(
        "step {}: a server looks at its clock, and what is made of that hangs on the time of day "
        "({})",
        result.step, result.detail);
  }
  return done;
}

std::string headline(const Attempt& done) {
  const auto& result = done.confirmation;
  const auto lease_ms = done.scaled.model.processes.front().lease_ms;
  const auto times = done.scaled.divisor == 1 ? fmt::format("lease {} ms", lease_ms)
                                              : fmt::format("lease {} ms, times divided by {}",
                                                            lease_ms, done.scaled.divisor);
  switch (result.outcome) {
    case Replayed::confirmed:
      return fmt::format("on {}: {} in {:.1f} s ({})", result.server,
                         plural(done.scaled.trace.steps.size(), "step"), result.seconds, times);
    case Replayed::differs:
      return fmt::format("from {} at step {} ({})", result.server, result.step, times);
    case Replayed::too_slow:
      return fmt::format("step {}: this machine is too slow now", result.step);
    case Replayed::open:
      return fmt::format("every step agrees with {} ({})", result.server, times);
    case Replayed::impossible:
      break;
  }
  return result.detail;
}

void print(const Attempt& done, Io& io) {
  const auto& result = done.confirmation;
  const auto& trace = done.scaled.trace;
  const auto say = [&](const char* word, Colour colour, const std::string& text) {
    io.out << coloured(word, colour, io.colours) << "  " << text << '\n';
  };
  const bool all = result.outcome == Replayed::confirmed || result.outcome == Replayed::open;
  const auto shown = result.outcome == Replayed::impossible ? 0
                     : all                                  ? trace.steps.size()
                                                            : result.step;
  for (std::size_t i = 0; i < shown; ++i) print_step(io.out, trace.steps[i], i + 1, {io.colours});
  if (all) print_violation(io.out, trace, io.colours);
  if (shown > 0) io.out << '\n';
  switch (result.outcome) {
    case Replayed::confirmed:
      say("CONFIRMED", Colour::green, headline(done));
      break;
    case Replayed::differs:
      say("DIFFERS", Colour::red, headline(done));
      break;
    case Replayed::impossible:
      say("NOT REPRODUCIBLE LIVE", Colour::yellow, headline(done));
      return;
    default:
      say("NOT CONFIRMED", Colour::yellow, headline(done));
  }
  if (!result.detail.empty()) io.out << "           " << result.detail << '\n';
}

int exit_code(Replayed outcome) {
  switch (outcome) {
    case Replayed::confirmed:
      return kAsExpected;
    case Replayed::differs:
      return kViolated;
    default:
      return kInconclusive;
  }
}

const char* name(Replayed outcome) {
  switch (outcome) {
    case Replayed::confirmed:
      return "confirmed";
    case Replayed::differs:
      return "differs";
    case Replayed::too_slow:
      return "too-slow";
    case Replayed::open:
      return "open";
    case Replayed::impossible:
      return "not-reproducible-live";
  }
  return "";
}

}  // namespace

int replay_live(const Recorded& run, const ReplayArguments& arguments, Format format, Io& io) {
  std::optional<Attempt> done;
  for (const auto lease_ms : kLeasesMs) {
    done = attempt(run, arguments.redis, lease_ms);
    if (done->confirmation.outcome != Replayed::too_slow) break;
  }
  const auto& result = done->confirmation;
  if (format == Format::json)
    io.out << live_replay_report(
        {name(result.outcome), result.step, result.detail, result.server, result.seconds,
         done->scaled.divisor, done->scaled.model.processes.front().lease_ms},
        done->scaled.trace);
  else
    print(*done, io);
  return exit_code(result.outcome);
}

}  // namespace lockstep::cli
