// Into envelopes and out of them; see the header.
#include "live/watched_connection.hpp"

#include <utility>

#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

/// Whether the server has executed what was on its way on a broken connection cannot be known.
template <class Action>
auto or_lose_sight(Ownership* ownership, Action action) {
  try {
    return action();
  } catch (const ConnectionBroken&) {
    if (ownership) ownership->lose_sight("a connection broke with a request on its way");
    throw;
  }
}

}  // namespace

void WatchedConnection::send(const sim::Request& request) {
  if (watched()) {
    const auto why = only_bare(request);
    if (!why.empty()) ownership_->lose_sight(why);
  }
  Pending asked{request, watched(), {}, {}};
  if (asked.enveloped) asked.ticket = ownership_->sent(process_, task_, node_);
  or_lose_sight(ownership_, [&] {
    if (asked.enveloped)
      socket_.send_all(ownership_->envelope().around(request));
    else
      socket_.send(request);
  });
  pending_.push_back(std::move(asked));
}

std::optional<sim::SharedReply> WatchedConnection::receive(bool readable) {
  while (auto reply = or_lose_sight(
             ownership_, [&] { return socket_.receive(std::exchange(readable, false)); })) {
    auto& asked = pending_.front();
    asked.replies.emplace_back(std::move(*reply));
    const auto expected = asked.enveloped ? ownership_->envelope().replies() : 1;
    if (asked.replies.size() < expected) continue;
    auto complete = std::move(asked);
    pending_.pop_front();
    if (auto answer = opened(std::move(complete))) return answer;
  }
  return std::nullopt;
}

/// The program's reply; none yet if the request has to be sent again, bare.
std::optional<sim::SharedReply> WatchedConnection::opened(Pending asked) {
  if (!asked.enveloped) {
    note(*asked.replies.front());
    return std::move(asked.replies.front());
  }
  auto opened = ownership_->envelope().open(asked.replies);
  if (auto* executed = std::get_if<Executed>(&opened)) {
    auto reply = executed->reply;
    note(*reply);
    ownership_->heard(process_, task_, asked.ticket, std::move(asked.request), std::move(*executed),
                      !given_up_);
    return reply;
  }
  if (auto* away = std::get_if<TurnedAway>(&opened)) {
    note(*away->reply);
    return std::move(away->reply);
  }
  auto& none = std::get<NoEnvelopes>(opened);
  ownership_->lose_sight(none.why);
  if (!none.sent_alone) {
    send(asked.request);
    return std::nullopt;
  }
  note(*none.reply);
  return std::move(none.reply);
}

void WatchedConnection::note(const sim::Reply& reply) {
  expect_served(address_, reply);
  const char* const how = given_up_ ? "would hear, too late, " : "hears ";
  referee_.heard(process_, node_, how + sim::worded(reply));
}

}  // namespace lockstep::live
