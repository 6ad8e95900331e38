// Notes and reads who relies on a key; see the header.
#include "sim/keyspace/reliance.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/parts.hpp"

namespace lockstep::sim {

namespace {

Makers owners_of(const Entry* entry) {
  return entry ? belongings_in(*entry).any & ~only_maker(kNobody) : 0;
}

template <class Visit>
void for_each_owner(Makers owners, Visit visit) {
  constexpr Maker kMost = 31;  // that Makers tells apart
  for (Maker maker = 1; maker <= kMost; ++maker)
    if (has_maker(owners, maker)) visit(maker);
}

/// A Unix time in s, ms or us.
std::optional<WallTime> time_of(double number) {
  constexpr double kFirstMs = 1e11, kFirstUs = 1e14;
  if (!(number >= static_cast<double>(kFirstTime)) || number >= 1e17) return std::nullopt;
  const double ms = number < kFirstMs ? number * 1000 : number < kFirstUs ? number : number / 1000;
  return WallTime{static_cast<std::int64_t>(ms)};
}

std::optional<WallTime> time_in(const std::string& text) {
  const std::optional<std::int64_t> number = parse_integer(text);
  return number ? time_of(static_cast<double>(*number)) : std::nullopt;
}

/// A lease key, before and after a request.
struct Lease {
  const std::vector<std::uint8_t>* locks;
  const Entry* was;
  const Entry* is;

  bool goes_with(const Lease& other) const {
    return std::ranges::any_of(
        *locks, [&](auto lock) { return std::ranges::count(*other.locks, lock) > 0; });
  }
  bool has_changed() const {
    if (!was || !is) return true;
    Entry compared = *is;
    compared.reliances = was->reliances;
    return compared != *was;
  }
  bool ends_later() const { return is && (!was || is->end() > was->end()); }
  /// And by more than the clock has gone on.
  bool is_prolonged(Duration tick) const {
    return ends_later() && (!was || !is->expires || *is->expires > was->end() + tick);
  }
};

/// The latest time that stands in it as the maker's own: a score, a field's value.
std::optional<WallTime> latest_time_in(const Entry& entry, Maker maker) {
  std::optional<WallTime> latest;
  const auto add = [&](Maker whose, std::optional<WallTime> time) {
    if (whose == maker && time) latest = std::max(latest.value_or(*time), *time);
  };
  if (const auto* set = std::get_if<SortedSet>(&entry.value))
    for (const auto& [name, member] : *set) add(member.maker, time_of(member.score));
  if (const auto* hash = std::get_if<Hash>(&entry.value))
    for (const auto& [name, field] : *hash) add(field.maker, time_in(field.value));
  return latest;
}

/// Who relies on what after one request.
class Noting {
 public:
  Noting(const Keyspace& before, const Keyspace& after, const ReliedBy& by, const LeaseMap& leases)
      : by_(by) {
    for (int database = 0; database < kDatabases; ++database) {
      const Keys *was = before.database(database), *is = after.database(database);
      if (is != nullptr)
        for (const auto& [key, entry] : *is)
          if (const auto* locks = leases.locks_of(key))
            leases_.push_back({locks, before.find(database, key), &entry});
      if (was != nullptr)
        for (const auto& [key, entry] : *was)
          if (const auto* locks = leases.locks_of(key); locks && !after.find(database, key))
            leases_.push_back({locks, &entry, nullptr});
    }
  }

  std::vector<Reliance> of(const Lease& key) const {
    std::vector<Reliance> all;
    for_each_owner(owners_of(key.is), [&](Maker maker) {
      const Expiry until = until_of(key, maker);
      if (until < key.is->end()) all.push_back({maker, until});
    });
    return all;
  }

  Lease lease_of(const Entry& entry) const {
    return *std::ranges::find(leases_, &entry, &Lease::is);
  }

 private:
  Expiry until_of(const Lease& key, Maker maker) const {
    const bool had = has_maker(owners_of(key.was), maker);
    const Expiry before = had ? relied_until(*key.was, maker) : key.is->end();
    if (maker != by_.sender) return before;
    if (by_.leaves) return Expiry(by_.now);
    if (by_.releases) return before;
    const bool asked = has_asked(key);
    if (asked && !key.is->expires) return kNever;
    if (key.is_prolonged(by_.tick))
      return key.is->expires ? Expiry(*key.is->expires + -by_.tick) : kNever;
    WallTime written = by_.now, lasting = by_.now;
    for (const Lease& each : leases_) {
      if (!each.is || !each.goes_with(key)) continue;
      written = std::max(written, latest_time_in(*each.is, maker).value_or(by_.now));
      const bool to_itself = each.is != key.is && belongings_in(*each.is).any == only_maker(maker);
      if (to_itself && each.is->expires) lasting = std::max<WallTime>(lasting, *each.is->expires);
    }
    if (written > by_.now) return Expiry(asked ? std::max(written, lasting) : written);
    if (!asked) return before;
    const Expiry wanted(lasting > by_.now ? lasting : by_.now + Duration{by_.lease_ms});
    return had ? std::max(before, wanted) : wanted;
  }

  /// Whether the sender has asked for the lock: it has changed this key, or made another one of the
  /// lock last longer, and more than that it has something no more.
  bool has_asked(const Lease& key) const {
    bool changed = key.has_changed(), freed = false, made = false;
    for (const Lease& each : leases_) {
      if (!each.goes_with(key)) continue;
      const PartsChange change = change_of(each.was, each.is, by_.sender);
      freed = freed || change.freed;
      made = made || change.made;
      changed = changed || (each.is && each.is->expires && each.ends_later());
    }
    return changed && (made || !freed);
  }

  const ReliedBy& by_;
  std::vector<Lease> leases_;
};

}  // namespace

bool ends_sooner(const Entry& before, const Entry& after) { return after.end() < before.end(); }

Expiry relied_until(const Entry& entry, Maker maker) {
  const auto found = std::ranges::find(entry.reliances, maker, &Reliance::maker);
  return found == entry.reliances.end() ? entry.end() : found->until;
}

void note_reliances(const Keyspace& before, Keyspace& after, const ReliedBy& by,
                    const LeaseMap& leases) {
  const Noting noting(before, after, by, leases);
  after.for_each([&](const std::string& key, Entry& entry) {
    entry.reliances =
        leases.is_shared(key) ? noting.of(noting.lease_of(entry)) : std::vector<Reliance>{};
  });
}

void keep_reliances(Keyspace& keyspace, Duration jump, const LeaseMap& leases) {
  keyspace.for_each([&](const std::string& key, Entry& entry) {
    if (!entry.expires || !leases.is_shared(key)) return;
    std::vector<Reliance> kept;
    for_each_owner(owners_of(&entry), [&](Maker maker) {
      Expiry until = relied_until(entry, maker);
      until.ms += jump.ms;
      if (until < *entry.expires) kept.push_back({maker, until});
    });
    entry.reliances = std::move(kept);
  });
}

}  // namespace lockstep::sim
