// Counts; see the header.
#include "sim/redis/commands/counting.hpp"

#include <cmath>

#include "sim/base/token.hpp"
#include "sim/keyspace/numbers.hpp"

namespace lockstep::sim {

void count_in(Maker& maker, Shares& shares, Maker sender, const std::string& before,
              std::optional<std::int64_t> by) {
  if (!by || *by == 0) return;
  if (maker == sender) {
    std::int64_t set = parse_integer(before).value_or(0);
    for (const auto& share : shares) set -= share.amount;
    const bool goes_on = (set > 0) == (*by > 0);
    if ((set == 1 || set == -1) && goes_on) add_share(shares, sender, set);
    maker = 0;
  }
  add_share(shares, sender, *by);
}

bool bears_token(const std::string& name) {
  constexpr int kDigits = 32;
  int digits = 0;
  for (const char c : name) {
    digits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? digits + 1 : 0;
    if (digits == kDigits) return true;
  }
  return !scan_tokens(name).tokens.empty();
}

std::optional<std::int64_t> whole_part(long double amount) {
  constexpr long double kLargest = 1e15L;
  if (std::abs(amount) > kLargest || amount != std::trunc(amount)) return std::nullopt;
  return static_cast<std::int64_t>(amount);
}

}  // namespace lockstep::sim
