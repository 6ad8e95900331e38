// Which lifetimes commands give: durations in use (docs/semantics.md, section 4).
#include "sim/keyspace/keyspace.hpp"
#include "sim/world/nodes.hpp"

namespace lockstep::sim {

namespace {

/// Of a keyspace in which some key ends at that instant, what is known of how long it lasts; none
/// if no key does.
std::optional<Expiry> same_end(const Keyspace& keyspace, const Expiry& expires) {
  std::optional<Expiry> found;
  keyspace.for_each([&](const std::string&, const Entry& entry) {
    if (entry.expires == expires && (!found || found->lasts_ms < entry.expires->lasts_ms))
      found = entry.expires;
  });
  return found;
}

}  // namespace

/// True if a command has given any: not those that a key had before, and which another one has now
/// (RENAME, COPY, SWAPDB).
bool Nodes::note_lifetimes(const Met& met, LooksAt looks, const Keyspace& before, Keyspace& after) {
  bool given = false;
  const auto note = [&](int database, Keys& keys) {
    for (auto& [key, entry] : keys) {
      if (!entry.expires) continue;
      const Entry* const old = before.find(database, key);
      const std::optional<Expiry> had = old != nullptr && old->expires == entry.expires
                                            ? old->expires
                                            : same_end(before, *entry.expires);
      if (had) {
        entry.expires->lasts_ms = had->lasts_ms;
        continue;
      }
      given = true;
      note_lifetime(met, looks, before, {database, key}, *entry.expires);
    }
  };
  note(0, after.keys);
  for (auto& [number, keys] : after.others) note(number, keys);
  return given;
}

/// One that is worked out from what a key has left lasts as long as that key does, and by as much
/// longer as it ends later: who began that one is as far from its end.
void Nodes::note_lifetime(const Met& met, LooksAt looks, const Keyspace& before, const Place& place,
                          Expiry& expires) {
  const std::int64_t left_ms = (expires - kEpoch).ms;
  const NodeClocks::Prolonged prolonged =
      looks.clock ? clocks_.prolonged(met, place) : NodeClocks::Prolonged{};
  if (prolonged.key) {
    setting_.needs.prolongs = true;
    if (!setting_.knowledge.prolongs) return;  // the search begins again
    const Expiry& of_that = *before.find(prolonged.key->database, prolonged.key->key)->expires;
    if (of_that.lasts_ms > 0) {
      note_prolonged(of_that.lasts_ms + (expires - of_that).ms, expires);
      if (!prolonged.or_anew) return;
    }
  }
  if (looks.time) {
    setting_.computed_lifetimes.insert(left_ms);
    return;
  }
  if (!setting_.computed.contains(left_ms) || durations_sent(met.request) == nullptr)
    setting_.use_lifetime(left_ms);
  if (setting_.knowledge.prolongs) expires.lasts_ms = left_ms;
}

/// Where timers may come any number of times, one of the lifetimes from which it differs by a
/// multiple of them, if there is any: what differs so much makes the same points of time.
std::int64_t Nodes::like_known(std::int64_t lasts_ms) const {
  const std::int64_t step_ms = setting_.drifts ? 0 : setting_.step_ms();
  if (step_ms == 0) return lasts_ms;
  for (const std::int64_t lifetime_ms : setting_.knowledge.lifetimes)
    if ((lifetime_ms - lasts_ms) % step_ms == 0) return lifetime_ms;
  return lasts_ms;
}

void Nodes::note_prolonged(std::int64_t lasts_ms, Expiry& expires) {
  // So many different ones: then one is prolonged without an end, and no search knew them all.
  static constexpr std::size_t kMost = 24;
  std::set<std::int64_t>& known = setting_.needs.prolonged;
  lasts_ms = like_known(lasts_ms);
  if (known.size() >= kMost && !known.contains(lasts_ms)) {
    setting_.obstacle = "a lifetime is made of what is left of it and more, again and again";
    return;
  }
  known.insert(lasts_ms);
  setting_.use_lifetime(lasts_ms);
  expires.lasts_ms = lasts_ms;
}

}  // namespace lockstep::sim
