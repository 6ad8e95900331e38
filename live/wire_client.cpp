// A client program without a network; see the header.
#include "live/wire_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/sha1.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using Heard = sim::Observation::Kind;
using Waits = sim::Wait::Kind;

constexpr std::size_t kMostMoves = 12;       // until it sends something that was really sent
constexpr std::size_t kMostTried = 200;      // clients
constexpr std::int64_t kMillisecond = 1000;  // in microseconds

Clocks clocks_at(std::int64_t time_us) {
  return {time_us / kMillisecond, std::chrono::microseconds(time_us)};
}

/// Words of Redis's that it reads in whatever case, where they are options.
bool is_option(const std::string& word) {
  static const std::set<std::string> kOptions = {
      "nx",  "xx",    "ex",     "px",         "exat", "pxat",  "get",   "keepttl", "lt",
      "gt",  "ch",    "incr",   "persist",    "ifeq", "left",  "right", "byscore", "rev",
      "and", "limit", "before", "withscores", "asc",  "after", "bylex", "count",   "match"};
  return kOptions.contains(sim::lower_case(word));
}

/// SET's options in one order; Redis takes them in any (7.0 t_string.c
/// parseExtendedStringArgumentsOrReply).
sim::Request with_options_in_order(sim::Request request) {
  constexpr std::size_t kFirst = 3;  // after SET key value
  if (sim::lower_case(request[0]) != "set" || request.size() <= kFirst) return request;
  static const std::set<std::string> kWithValue = {"ex", "px", "exat", "pxat", "ifeq"};
  std::vector<std::vector<std::string>> options;
  for (std::size_t i = kFirst; i < request.size(); ++i) {
    options.push_back({sim::lower_case(request[i])});
    if (kWithValue.contains(options.back()[0]) && i + 1 < request.size())
      options.back().push_back(request[++i]);
  }
  std::ranges::sort(options);
  request.resize(kFirst);
  for (const auto& option : options) request.insert(request.end(), option.begin(), option.end());
  return request;
}

}  // namespace

std::string sha_of_script(const sim::Request& request) {
  if (request.size() < 2) return "";
  const auto name = sim::lower_case(request[0]);
  if (name == "eval") return sim::sha1_hex(request[1]);
  return name == "evalsha" ? sim::lower_case(request[1]) : "";
}

bool is_same(const sim::Request& program_said, const sim::Request& client_said, WhenSent when,
             StandIns& stand_ins) {
  if (program_said.size() != client_said.size()) return false;
  const auto said = with_options_in_order(program_said);
  const auto real = with_options_in_order(client_said);
  const auto sha = sha_of_script(said);
  const bool script = !sha.empty();
  if (sha != sha_of_script(real)) return false;
  if (!script && sim::lower_case(said[0]) != sim::lower_case(real[0])) return false;
  auto bound = stand_ins;
  for (std::size_t i = script ? 2 : 1; i < said.size(); ++i) {
    const bool option = is_option(said[i]) && sim::lower_case(said[i]) == sim::lower_case(real[i]);
    if (!option && !bound.bind(said[i], real[i], when)) return false;
  }
  stand_ins = std::move(bound);
  return true;
}

// ---- answers ------------------------------------------------------------------------------------

std::string Answers::answer(const sim::Query& query) {
  if (query.kind == sim::Query::Kind::token) return StandIns::fresh_token(++tokens_);
  if (asked_ == choices_.size()) choices_.push_back({1, std::max(1, query.choices)});
  return std::to_string(choices_[asked_++].taken);
}

void Answers::first_way() {
  choices_.clear();
  asked_ = 0;
}

bool Answers::next_way() {
  asked_ = 0;
  while (!choices_.empty() && choices_.back().taken == choices_.back().of) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

// ---- the client ---------------------------------------------------------------------------------

WireClient::WireClient(const sim::Program& program, const sim::ProcessSetup& setup,
                       Answers& answers)
    : answers_(&answers),
      client_(program, setup, std::vector<int>(static_cast<std::size_t>(setup.threads)),
              [&answers](const sim::Query& query) { return answers.answer(query); }) {}

/// What each task was told comes first of all, but for messages, which may be under way for longer.
std::vector<WireClient::Move> WireClient::moves(std::int64_t time_us) const {
  std::vector<Move> moves;
  std::set<sim::TaskId> told;
  bool only_messages = true;
  for (const auto& heard : unheard_) {
    if (!told.insert(heard.observation.task).second) continue;
    moves.push_back(heard);
    only_messages = only_messages && listeners_.contains(heard.observation.task);
  }
  if (!only_messages) return moves;
  for (const auto& wait : client_.waits()) {
    Move move;
    move.time_us = time_us;
    move.observation.task = wait.task;
    if (wait.kind == Waits::idle)
      move.observation.kind = Heard::begin;
    else if (wait.can_run())
      move.observation.kind = Heard::run;
    else if (wait.kind == Waits::sleep || wait.kind == Waits::work)
      move.observation.kind = Heard::timer;
    else
      continue;
    // It has gone on at once.
    if (const auto since = since_us_.find(wait.task); wait.can_run() && since != since_us_.end())
      move.time_us = since->second;
    moves.push_back(std::move(move));
  }
  return moves;
}

void WireClient::make(Move move) {
  const auto task = move.observation.task;
  const auto* wait = client_.wait_of(task);
  move.time_us = last_us_ = std::max(last_us_, move.time_us);
  if (move.observation.kind == Heard::reply) {
    unheard_.erase(
        std::ranges::find(unheard_, task, [](const Move& each) { return each.observation.task; }));
    if (!wait || (wait->kind != Waits::replies && wait->kind != Waits::message))
      return;  // nobody hears it any more
  }
  if (wait && wait->kind == Waits::sleep)
    off_times_.push_back({wait->ms, (move.time_us - since_us_[task]) / kMillisecond});
  note(client_.feed(std::move(move.observation), clocks_at(move.time_us)), move.time_us);
}

void WireClient::note(const Client::Did& did, std::int64_t time_us) {
  for (const auto& wait : did.fresh) since_us_[wait.task] = time_us;
  for (const auto& effect : did.effects) {
    note_call(effect);
    if (effect.kind == sim::Effect::Kind::gave_up)
      std::erase_if(awaited_, [&](const Awaited& each) { return each.task == effect.task; });
    if (effect.kind != sim::Effect::Kind::send) continue;
    if (effect.node == sim::kResource) {
      Move heard;
      heard.time_us = time_us;
      heard.observation.kind = Heard::reply;
      heard.observation.task = effect.task;
      heard.observation.node = sim::kResource;
      heard.observation.reply = sim::Reply::ok();
      unheard_.push_back(std::move(heard));
      continue;
    }
    if (effect.subscribes) listeners_.insert(effect.task);
    awaited_.push_back(
        {effect.task, effect.request, effect.subscribes, effect.line.number, time_us});
  }
}

void WireClient::note_call(const sim::Effect& effect) {
  using Does = sim::Effect::Kind;
  if (effect.kind == Does::acquired || effect.kind == Does::reentered) ++calls_.acquired;
  if (effect.kind == Does::refused) ++calls_.refused;
  if (effect.kind == Does::released || effect.kind == Does::left) ++calls_.released;
  if (effect.kind == Does::failed) ++calls_.failed;
  if (effect.kind == Does::lost) ++calls_.lost;
}

/// Breadth first.
template <class Visitor>
void WireClient::visit_ways(std::int64_t time_us, const Visitor& visit) const {
  std::deque<std::pair<std::unique_ptr<WireClient>, std::size_t>> queue;
  queue.emplace_back(std::make_unique<WireClient>(*this), 0);
  for (std::size_t tried = 0; !queue.empty() && tried < kMostTried; ++tried) {
    const auto [client, depth] = std::move(queue.front());
    queue.pop_front();
    const Then then = visit(*client);
    if (then == Then::stop) return;
    if (then == Then::leave || depth == kMostMoves) continue;
    for (const auto& move : client->moves(time_us)) {
      answers_->first_way();
      do {
        auto next = std::make_unique<WireClient>(*client);
        next->make(move);
        queue.emplace_back(std::move(next), depth + 1);
      } while (answers_->next_way());
    }
  }
}

bool WireClient::match(const WireRequest& real) {
  for (std::size_t i = 0; i < awaited_.size(); ++i) {
    if (!is_same(awaited_[i].request, real.request, {awaited_[i].computed_us, real.time_us},
                 stand_ins_))
      continue;
    matched_ = i;
    return true;
  }
  return false;
}

std::vector<WireClient> WireClient::sending(const WireRequest& real, std::size_t most) const {
  std::vector<WireClient> found;
  visit_ways(real.time_us, [&](WireClient& client) {
    if (!client.match(real)) return Then::go_on;
    found.push_back(client);
    return found.size() < most ? Then::leave : Then::stop;
  });
  return found;
}

std::vector<Awaited> WireClient::possible(std::int64_t time_us) const {
  std::vector<Awaited> all;
  visit_ways(time_us, [&](const WireClient& client) {
    for (const auto& each : client.awaited_) {
      auto shown = each;
      for (auto& argument : shown.request) argument = client.stand_ins_.as_real(argument);
      if (std::ranges::find(all, shown.request, &Awaited::request) == all.end())
        all.push_back(std::move(shown));
    }
    return Then::go_on;
  });
  return all;
}

sim::TaskId WireClient::take_matched() {
  LOCKSTEP_CHECK(matched_ < awaited_.size());
  const auto task = awaited_[matched_].task;
  awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(matched_));
  return task;
}

namespace {

sim::Reply as_said(sim::Reply reply, const StandIns& stand_ins) {
  reply.text = stand_ins.as_said(std::move(reply.text));
  for (auto& item : reply.items) item = as_said(std::move(item), stand_ins);
  return reply;
}

}  // namespace

void WireClient::answered(sim::TaskId task, const sim::SharedReply& reply, std::int64_t time_us) {
  Move heard;
  heard.time_us = time_us;
  heard.observation.kind = Heard::reply;
  heard.observation.task = task;
  heard.observation.reply = as_said(*reply, stand_ins_);
  unheard_.push_back(std::move(heard));
}

void WireClient::hear_out() {
  answers_->first_way();
  while (!unheard_.empty()) make(unheard_.front());
}

std::int64_t OffTime::off_ms() const { return std::abs(waited_ms - sleep_ms); }

bool OffTime::is_bad() const {
  constexpr std::int64_t kSlack_ms = 50, kPart = 5;
  return off_ms() > kSlack_ms + sleep_ms / kPart;
}

std::size_t WireClient::badly_timed() const {
  return static_cast<std::size_t>(std::ranges::count_if(off_times_, &OffTime::is_bad));
}

bool WireClient::acquires() const {
  return std::ranges::any_of(awaited_, [&](const Awaited& each) {
    const auto* wait = client_.wait_of(each.task);
    return wait && wait->in_acquire;
  });
}

}  // namespace lockstep::live
