// The letters; see the header.
#include "sim/redis/keyspace_events.hpp"

namespace lockstep::sim {

namespace {

/// The letter of each bit.
constexpr std::string_view kLetters = "g$lshzxetdnKEm";

}  // namespace

std::optional<KeyspaceEvents> parse_keyspace_events(std::string_view letters) {
  KeyspaceEvents events = 0;
  for (const char letter : letters) {
    const std::size_t bit = kLetters.find(letter);
    if (letter != 'A' && bit == std::string_view::npos) return std::nullopt;
    events |= letter == 'A' ? kAllEvents : static_cast<KeyspaceEvents>(1U << bit);
  }
  return events;
}

std::string letters_of(KeyspaceEvents events) {
  const bool all = (events & kAllEvents) == kAllEvents;
  std::string letters = all ? "A" : "";
  for (std::size_t bit = 0; bit < kLetters.size(); ++bit) {
    const KeyspaceEvents one = static_cast<KeyspaceEvents>(1U << bit);
    const bool in_all = (kAllEvents & one) != 0 || one == kNewEvents;  // Redis 7.0 forgets n then
    if ((events & one) != 0 && !(all && in_all)) letters += kLetters[bit];
  }
  return letters;
}

}  // namespace lockstep::sim
