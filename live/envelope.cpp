// MULTI, INCR, TIME, PEXPIRETIME ..., the request, PEXPIRETIME ..., TIME, EXEC; see the header.
#include "live/envelope.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using sim::Reply;

/// It waits, or is about the connection on which it comes. Scripts may not call it; nor what runs,
/// loads or removes scripts, which is at home in a transaction.
bool about_connection(const sim::Command& command) {
  const bool of_scripts = command.is_of("scripting") && !command.is(sim::kAllowBusy);
  return command.is(sim::kBlocking) || command.has(sim::kSetsConnection) ||
         (command.is(sim::kNoScript | sim::kNoMulti) && !of_scripts);
}

/// FLUSHALL and its like: the run's own key may be among them.
bool writes_unnamed_keys(const sim::Command& command) {
  return command.is(sim::kWrite) && command.is_of("keyspace") && command.keys().empty();
}

/// TIME: seconds and microseconds. A server may say anything: what no clock shows is none.
std::optional<sim::WallTime> time_in(const Reply& reply) {
  constexpr std::int64_t kMostSeconds = 1'000'000'000'000;
  if (reply.items.size() != 2) return std::nullopt;
  const auto seconds = std::strtoll(reply.items[0].text.c_str(), nullptr, 10);
  const auto microseconds = std::strtoll(reply.items[1].text.c_str(), nullptr, 10);
  const bool shown =
      seconds >= 0 && seconds <= kMostSeconds && microseconds >= 0 && microseconds < 1'000'000;
  if (!shown) return std::nullopt;
  return sim::WallTime{seconds * 1000 + microseconds / 1000};
}

NoEnvelopes nothing_executed(const std::string& command, const std::string& answer) {
  return {
      fmt::format("the server does not take {} in a transaction: {}", command, answer), false, {}};
}

}  // namespace

std::vector<sim::Request> Envelope::around(const sim::Request& request) const {
  std::vector<sim::Request> all{{"MULTI"}, {"INCR", order_key_}, {"TIME"}};
  for (const auto& key : lease_keys_) all.push_back({"PEXPIRETIME", key});
  all.push_back(request);
  for (const auto& key : lease_keys_) all.push_back({"PEXPIRETIME", key});
  all.push_back({"TIME"});
  all.push_back({"EXEC"});
  return all;
}

Opened Envelope::open(const std::vector<sim::SharedReply>& replies) const {
  const auto looks = lease_keys_.size();
  const auto own = kBeforeLooks + looks;  // the request among the replies
  const auto& exec = *replies.back();
  if (replies.front()->is_error())
    return NoEnvelopes{fmt::format("the server refuses MULTI: {}", replies.front()->text), true,
                       replies[own]};
  if (exec.is_error()) {
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (i == own || i + 1 == replies.size() || !replies[i]->is_error()) continue;
      return nothing_executed(around({"?"})[i][0], replies[i]->text);
    }
    if (replies[own]->is_error()) return TurnedAway{replies[own]};
    return nothing_executed("EXEC", exec.text);
  }
  // EXEC's own items have no MULTI in front.
  const auto item = [&](std::size_t place) -> const Reply& { return exec.items[place - 1]; };
  if (exec.items.size() + 2 != replies.size())
    return nothing_executed("EXEC", "it gave no list of replies");
  const auto begun = time_in(item(2)), ended = time_in(item(own + looks + 1));
  if (item(1).kind != Reply::Kind::integer || !begun || !ended)
    return NoEnvelopes{fmt::format("the server does not count: {}", item(1).text), true, item(own)};
  Executed executed{item(1).integer, *begun, *ended, {}, {}, item(own)};
  for (std::size_t i = 0; i < looks; ++i) {
    executed.before.push_back(item(kBeforeLooks + i).integer);
    executed.after.push_back(item(own + 1 + i).integer);
  }
  return executed;
}

std::string only_bare(const sim::Request& request) {
  const auto* command = sim::find_command(request);
  if (!command || !sim::arity_fits(command->arity, request.size())) return {};  // it will say no
  if (!about_connection(*command) && !writes_unnamed_keys(*command)) return {};
  return fmt::format("{} does not mean the same in a transaction", request[0]);
}

}  // namespace lockstep::live
