// Notes and reads who relies on a key; see the header.
#include "sim/keyspace/reliance.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/keyspace/parts.hpp"

namespace lockstep::sim {

namespace {

constexpr Expiry kNever(WallTime{std::numeric_limits<std::int64_t>::max()});

Expiry end_of(const Entry& entry) { return entry.expires.value_or(kNever); }

Makers owners_of(const Entry* entry) {
  return entry ? belongings_in(*entry).any & ~only_maker(kNobody) : 0;
}

bool is_as_before(const Entry& before, Entry after) {
  after.reliances = before.reliances;
  return after == before;
}

/// Whether the sender asked for something: it changed some of these keys, and more than that it has
/// something no more.
bool has_asked(const Keyspace& before, const Keyspace& after, Maker sender,
               const std::function<bool(const std::string&)>& is_lease) {
  bool changed = false, freed = false, made = false;
  for (int database = 0; database < kDatabases; ++database) {
    const auto compare = [&](const std::string& key, const Entry* was, const Entry* is) {
      if (!is_lease(key) || (was && is && is_as_before(*was, *is))) return;
      changed = true;
      const PartsChange change = change_of(was, is, sender);
      freed = freed || change.freed;
      made = made || change.made;
    };
    if (const Keys* keys = after.database(database))
      for (const auto& [key, entry] : *keys) compare(key, before.find(database, key), &entry);
    if (const Keys* keys = before.database(database))
      for (const auto& [key, entry] : *keys)
        if (after.find(database, key) == nullptr) compare(key, &entry, nullptr);
  }
  return changed && (made || !freed);
}

}  // namespace

bool ends_sooner(const Entry& before, const Entry& after) { return end_of(after) < end_of(before); }

Expiry relied_until(const Entry& entry, Maker maker) {
  const auto found = std::ranges::find(entry.reliances, maker, &Reliance::maker);
  return found == entry.reliances.end() ? end_of(entry) : found->until;
}

void note_reliances(const Keyspace& before, Keyspace& after, const ReliedBy& by,
                    const std::function<bool(const std::string&)>& is_lease) {
  const bool asks = !by.releases && has_asked(before, after, by.sender, is_lease);
  for_each_with_before(before, after, [&](const std::string& key, const Entry* was, Entry& entry) {
    entry.reliances.clear();
    if (!is_lease(key)) return;
    const Makers had = owners_of(was), have = owners_of(&entry);
    const Expiry end = end_of(entry);
    const bool prolonged = !was || !entry.expires || end > end_of(*was);
    for (Maker maker = 1; Makers{1} << maker <= have; ++maker) {
      if (!has_maker(have, maker)) continue;
      const bool is_asked_for = maker == by.sender && asks;
      const bool is_new = !has_maker(had, maker);
      Expiry until = is_new ? end : relied_until(*was, maker);
      if (maker == by.sender && by.leaves) until = Expiry(by.now);
      if (is_asked_for && prolonged) until = end;
      if (is_asked_for && !prolonged) {
        const Expiry wanted(by.now + Duration{by.lease_ms});
        until = is_new ? wanted : std::max(until, wanted);
      }
      if (until < end) entry.reliances.push_back({maker, Expiry(until, until.sooner)});
    }
  });
}

void keep_reliances(Keyspace& keyspace, Duration jump,
                    const std::function<bool(const std::string&)>& is_lease) {
  keyspace.for_each([&](const std::string& key, Entry& entry) {
    if (!entry.expires || !is_lease(key)) return;
    std::vector<Reliance> kept;
    const Makers owners = owners_of(&entry);
    for (Maker maker = 1; Makers{1} << maker <= owners; ++maker) {
      if (!has_maker(owners, maker)) continue;
      Expiry until = relied_until(entry, maker);
      until.ms += jump.ms;
      if (until < *entry.expires) kept.push_back({maker, Expiry(until, until.sooner)});
    }
    entry.reliances = std::move(kept);
  });
}

}  // namespace lockstep::sim
