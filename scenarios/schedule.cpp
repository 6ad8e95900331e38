// The sentences of a schedule: how they are understood. How they are carried out is in
// schedule_walk.cpp.
#include "scenarios/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/base/token.hpp"
#include "sim/client/setup.hpp"

namespace lockstep::scenarios {

namespace {

using Says = ScheduleStep::Kind;
using Do = sim::Action::Kind;

using Words = std::vector<std::string_view>;

/// Parts of `text`.
Words split(std::string_view text) {
  Words words;
  for (auto at = text.find_first_not_of(' '); at != text.npos;
       at = text.find_first_not_of(' ', at)) {
    const auto end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::uint8_t> client_named(std::string_view word, int clients) {
  for (int i = 0; i < clients; ++i)
    if (word == sim::process_name(static_cast<unsigned>(i))) return static_cast<std::uint8_t>(i);
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

/// "redis", or, of several nodes, "redis-2".
bool is_redis(std::string_view word) {
  if (word == "redis") return true;
  constexpr std::string_view prefix = "redis-";
  if (!word.starts_with(prefix)) return false;
  const auto number = whole_number(word.substr(prefix.size()));
  return number && *number >= 1 && *number <= sim::kMaxNodes;
}

/// Fits one word of a sentence to one word of a form; what the sentence names goes into `step`.
bool fit_word(std::string_view form, std::string_view word, int clients, ScheduleStep& step) {
  if (form == "<client>" || form == "<client>'s") {
    const auto suffix = form.substr(std::string_view("<client>").size());
    if (!word.ends_with(suffix)) return false;
    const auto client = client_named(word.substr(0, word.size() - suffix.size()), clients);
    if (client) step.client = *client;
    return client.has_value();
  }
  if (form == "<number>") {
    const auto number = whole_number(word);
    if (number) step.amount = *number;
    return number.has_value();
  }
  if (form.starts_with("<node>") || form.starts_with("<redis>")) {
    const auto suffix = form.substr(form.find('>') + 1);
    if (!word.ends_with(suffix)) return false;
    step.node = word.substr(0, word.size() - suffix.size());
    return is_redis(step.node) || (form == "<node>" && word == "resource");
  }
  return form == word;
}

/// Fits a sentence to a form. `<words>` stands for one word or more, with the blanks between.
std::optional<ScheduleStep> fit(const Sentence& sentence, const Words& words, int clients) {
  ScheduleStep step;
  step.kind = sentence.kind;
  step.action = sentence.action;
  const auto form = split(sentence.form);
  if (words.size() < form.size()) return std::nullopt;
  std::size_t at = 0;
  for (const auto& part : form) {
    if (part != "<words>") {
      if (at >= words.size() || !fit_word(part, words[at++], clients, step)) return std::nullopt;
      continue;
    }
    const auto& last = words[at + words.size() - form.size()];
    step.words = std::string(words[at].data(), last.data() + last.size());
    at += words.size() - form.size() + 1;
  }
  return at == words.size() ? std::optional(step) : std::nullopt;
}

/// The form with the placeholders filled in from a sentence that does not fit it: what its writer
/// may have meant.
std::string filled(const Sentence& sentence, const Words& words) {
  auto form = split(sentence.form);
  for (std::size_t i = 0; i < form.size() && i < words.size(); ++i)
    if (form[i].starts_with('<')) form[i] = words[i];
  return fmt::format("{}", fmt::join(form, " "));
}

/// Throws BadInput if no run could have the number that the sentence names.
void expect_amount(const ScheduleStep& step, const std::string& place) {
  const auto expect = [&](std::int64_t least, std::int64_t most) {
    if (step.amount < least || step.amount > most)
      throw sim::BadInput(fmt::format("{}: found `{}`, expected a whole number from {} to {}",
                                      place, step.text, least, most));
  };
  if (step.kind == Says::pass) return expect(1, kLongestMs);
  if (!step.action) return;
  const auto& fields = row(*step.action).fields;
  if (fields.image) expect(0, UINT8_MAX);
  if (!fields.amount) return;
  expect(-kLongestMs, kLongestMs);
  if (step.amount == 0) throw sim::BadInput(place + ": a jump of 0 ms is none");
}

}  // namespace

namespace {

/// What clients do, and what befalls them and their messages.
std::vector<Sentence> sentences_of_clients() {
  return {
      {Says::action, "<client> starts", "its next round begins", Do::begin},
      {Says::acquires, "<client> acquires", "it runs until it holds the lock"},
      {Says::refused, "<client> is refused", "it runs until acquire() has failed"},
      {Says::sends, "<client> sends <words>", "it runs until it has sent this request"},
      {Says::executes, "<node> executes <client>'s <words>",
       "it runs until this node (redis, redis-2, ...), or the resource, has executed this request"},
      {Says::hears, "<client> hears the reply", "its next reply arrives"},
      {Says::releasing, "<client> begins to release", "it runs until its critical section ends"},
      {Says::released, "<client> releases", "it runs until release() has returned"},
      {Says::fails, "<client> fails", "it runs until acquire() or release() ends in an error"},
      {Says::finishes, "<client> finishes", "it runs until its round is over"},
      {Says::action, "<client> pauses", "fault: the whole process stands still", Do::pause},
      {Says::stops_at_clock, "<client> pauses after reading a clock",
       "fault: it runs until it has, and stands still before it does anything about it",
       Do::pause_within},
      {Says::stops_between_sends, "<client> pauses between two requests",
       "fault: it runs until it has sent the first of several, and stands still", Do::pause_within},
      {Says::stops_between_sends, "<client> crashes between two requests",
       "fault: it runs until it has sent the first of several", Do::crash_within},
      {Says::action, "<client> switches threads",
       "fault: a thread stops at its next access to what they share, and another one goes on",
       Do::preempt},
      {Says::action, "<client> resumes", "it goes on", Do::resume},
      {Says::action, "<client> crashes", "fault: its memory is gone", Do::crash},
      {Says::action, "<client> crashes as it begins",
       "fault: its next round is over before it has sent anything", Do::crash_begin},
      {Says::request_held, "<client>'s request is held back", "fault: it waits in the network",
       Do::delay},
      {Says::reply_held, "<client>'s reply is held back", "fault: it waits in the network",
       Do::delay},
      {Says::action, "<client>'s message is let go", "what was held back can arrive", Do::release},
      {Says::action, "<client>'s connection breaks", "fault: a request or its reply is lost",
       Do::lose},
      {Says::action, "<client>'s connection breaks behind its request",
       "fault: the client gets an error, and the request waits in the network", Do::lose_late},
      {Says::action, "<client>'s connection breaks unheard",
       "fault: behind a reply, or with nothing on it; the next request goes on a new one",
       Do::close},
      {Says::pass, "<number> ms pass", "time passes"},
      {Says::expires, "time passes until <words> expires",
       "up to the millisecond after a key's expiry"}};
}

/// What befalls nodes, links to them, and clocks.
std::vector<Sentence> sentences_of_nodes() {
  return {
      {Says::action, "<redis> crashes", "fault: it keeps what its persistence kept",
       Do::node_crash},
      {Says::action, "<redis> loses power and <number> writes",
       "fault: and the last writes, if 1 or more", Do::power_loss},
      {Says::action, "<redis> restarts", "it is up again", Do::node_restart},
      {Says::action, "<redis> restarts, loading",
       "it is up again, and answers LOADING until it has read its data", Do::node_load},
      {Says::action, "<redis> receives everything",
       "a replica that has to ask for it: until it catches up, it answers LOADING", Do::receive},
      {Says::action, "<redis> has loaded", "its data", Do::loaded},
      {Says::action, "<redis> saves", "an RDB save completes", Do::save},
      {Says::action, "<redis> evicts <words>", "fault: this key goes, for memory is short",
       Do::evict},
      {Says::action, "<redis> notices that <words> has expired",
       "and publishes it: keyspace_events with an x", Do::notice},
      {Says::action, "<redis> is late to notice that <words> has expired",
       "fault: it publishes it some time later", Do::overlook},
      {Says::action, "<redis> notices at last that <words> has expired", "and publishes it",
       Do::notice_late},
      {Says::action, "<redis> is flushed", "fault: somebody empties it", Do::flush},
      {Says::action, "<redis> is out of memory", "fault: what needs more is refused", Do::oom},
      {Says::action, "<redis> has memory again", "nothing is refused any more", Do::relief},
      {Says::action, "<client> is cut off from <redis>", "fault: nothing passes", Do::cut},
      {Says::action, "<client>'s requests to <redis> are cut off", "fault: they wait",
       Do::cut_requests},
      {Says::action, "<client>'s replies from <redis> are cut off", "fault: they wait",
       Do::cut_replies},
      {Says::action, "<client> reaches <redis> again", "what waited goes on", Do::heal},
      {Says::action, "<client> reaches <redis> again, with a delay",
       "what waited is held back, until it goes on", Do::heal_late},
      {Says::action, "<redis> lags", "fault: what its master sends it waits", Do::lag},
      {Says::action, "<redis> catches up", "and arrives", Do::catch_up},
      {Says::action, "<redis> misses its replicas",
       "those that have left it; of a replica that lags: it is counted no more", Do::miss},
      {Says::action, "<redis> becomes master", "fault: with what it has", Do::failover},
      {Says::action, "<redis> follows the new master", "it becomes a replica", Do::follow},
      {Says::action, "<redis> begins to hand over its slots",
       "fault: to the cluster's other node, key by key", Do::migrate},
      {Says::action, "<redis> moves <words>", "this key is the other node's", Do::move_key},
      {Says::action, "<redis> hands over its slots", "when all its keys are", Do::hand_over},
      {Says::action, "<client> learns that <redis> is master", "its next connections go there",
       Do::learn},
      {Says::action, "<redis>'s clock jumps by <number> ms",
       "fault: forwards, or backwards if negative", Do::jump_node},
      {Says::action, "<redis>'s clock stands still", "fault: no lease ends there any more",
       Do::freeze},
      {Says::action, "<client>'s clock jumps by <number> ms",
       "fault: forwards, or backwards if negative", Do::jump_process}};
}

}  // namespace

const std::vector<Sentence>& sentences() {
  static const std::vector<Sentence> all = [] {
    std::vector<Sentence> found = sentences_of_clients();
    const std::vector<Sentence> others = sentences_of_nodes();
    found.insert(found.end(), others.begin(), others.end());
    return found;
  }();
  return all;
}

ScheduleStep parse_schedule_step(const std::string& text, int clients, const std::string& place) {
  const auto words = split(text);
  std::vector<std::string> near;
  for (const auto& sentence : sentences()) {
    if (auto step = fit(sentence, words, clients)) {
      step->text = text;
      expect_amount(*step, place);
      return *step;
    }
    near.push_back(filled(sentence, words));
  }
  const auto meant = sim::near_miss(text, near);
  throw sim::BadInput(fmt::format(
      "{}: no such step: `{}`{}; clients here: {}", place, text,
      meant && *meant != text ? fmt::format("; did you mean `{}`?", *meant)
                              : "; `lockstep list steps` shows all forms",
      clients == 1 ? "A" : "A to " + sim::process_name(static_cast<unsigned>(clients - 1))));
}

sim::Budget budget_of(const std::vector<ScheduleStep>& steps) {
  sim::Budget budget{};
  for (const auto& step : steps) {
    const auto fault = step.action ? row(*step.action).fault : std::nullopt;
    if (!fault) continue;
    auto& count = budget.at(static_cast<std::size_t>(*fault));
    if (count < UINT8_MAX) ++count;
  }
  return budget;
}

std::vector<std::int64_t> jumps_of(const std::vector<ScheduleStep>& steps) {
  std::vector<std::int64_t> jumps;
  for (const auto& step : steps) {
    const bool jump = step.action && row(*step.action).fault == sim::Fault::jump;
    if (jump && std::find(jumps.begin(), jumps.end(), step.amount) == jumps.end())
      jumps.push_back(step.amount);
  }
  return jumps;
}

}  // namespace lockstep::scenarios
