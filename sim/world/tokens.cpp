// Finds tokens and gives them canonical names; see the header.
#include "sim/world/tokens.hpp"

#include <algorithm>

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

void TokenUse::add_sent(std::string_view text) {
  add(text);
  dates.add_sent(without_brackets(text));
}

void TokenUse::add(const Request& request) {
  for (const auto& argument : request) add_sent(argument);
}

void TokenUse::add(const Reply& reply) {
  add_sent(reply.text);
  dates.add(reply.integer);
  for (const auto& item : reply.items) add(item);
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

std::function<Token(Token)> Renaming::function() const {
  return [*this](Token token) {
    if (token.process != whose || token.number == 0) return token;
    return Token{whose, static_cast<std::uint8_t>(digits >> (4 * token.number) & 0xF)};
  };
}

}  // namespace lockstep::sim
