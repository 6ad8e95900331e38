// Finds tokens and gives them canonical names; see the header.
#include "sim/world/tokens.hpp"

#include <algorithm>
#include <variant>

#include "sim/client/reply_times.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

void add_token(std::vector<Token>& tokens, Token token) {
  if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
}

}  // namespace

void TokenUse::add(std::string_view bytes) {
  const TokenScan scan = scan_tokens(bytes);
  cut = cut || scan.cut;
  for (const Token token : scan.tokens) add_token(tokens, token);
  dates.add(bytes);
}

void TokenUse::add(const Request& request) {
  for (const auto& argument : request) add_sent(argument);
}

void TokenUse::add(const Reply& reply) {
  add_sent(reply.text);
  dates.add(reply.integer);
  for (const auto& item : reply.items) add(item);
}

void TokenUse::add_sent(std::string_view text) {
  add(text);
  dates.add_sent(without_brackets(text));
}

void TokenUse::add(const TokenUse& other) {
  cut = cut || other.cut;
  dates.add(other.dates);
  for (const Token token : other.tokens) add_token(tokens, token);
}

bool TokenUse::mentions(std::uint8_t process) const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](Token token) { return token.process == process; });
}

void TokenUse::mark(std::uint8_t process, TokenNumbers& used) const {
  for (const Token token : tokens)
    if (token.process == process && token.number <= kRecycledTokens)
      used |= only<TokenNumbers>(token.number - 1U);
}

std::string Rewording::operator()(std::string_view text) const {
  if (whose_ == kDates) return sooner(text, static_cast<std::int64_t>(how_));
  return rename_tokens(text, [this](Token token) {
    if (token.process != whose_ || token.number == 0) return token;
    return Token{whose_, static_cast<std::uint8_t>(how_ >> (4 * token.number) & 0xF)};
  });
}

Request Rewording::operator()(const Request& request) const {
  Request reworded;
  reworded.reserve(request.size());
  for (const auto& argument : request) reworded.push_back((*this)(std::string_view(argument)));
  return reworded;
}

Reply Rewording::operator()(const Reply& reply) const {
  const auto ms = static_cast<std::int64_t>(how_);
  if (whose_ == kDates && time_told(reply)) return later_by(reply, -ms);
  Reply reworded = reply;
  reworded.text = (*this)(std::string_view(reply.text));
  if (whose_ == kDates) reworded.integer = sooner(reply.integer, ms);
  for (auto& item : reworded.items) item = (*this)(item);
  return reworded;
}

Entry Rewording::operator()(const Entry& entry) const {
  Entry reworded = with_texts(entry, *this);
  auto* const set = std::get_if<SortedSet>(&reworded.value);
  if (whose_ == kDates && set != nullptr)
    for (auto& [member, about] : *set)
      about.score = sooner(about.score, static_cast<std::int64_t>(how_));
  return reworded;
}

}  // namespace lockstep::sim
