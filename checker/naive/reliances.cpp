// Until when who shares a lease key relies on it: "Parts" of docs/semantics.md.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/parts.hpp"

namespace lockstep::checker::naive {

using sim::Entry;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;

std::optional<sim::Expiry> relies_until(const Entry& key, Maker maker) {
  for (const sim::Reliance& reliance : key.reliances)
    if (reliance.maker == maker) return reliance.until;
  return key.expires;
}

namespace {

/// Whether a request has changed what the key is, whose, or when it ends.
bool has_changed(const Entry* was, const Entry* is) {
  if (!was || !is) return was != is;
  return was->value != is->value || was->maker != is->maker || was->shares != is->shares ||
         was->expires != is->expires || was->encoding != is->encoding;
}

bool ends_later(const Entry* was, const Entry* is) {
  if (!is) return false;
  if (!was) return true;
  return was->expires && (!is->expires || is->expires->ms > was->expires->ms);
}

/// Seconds, milliseconds or microseconds since 1970, in ms; nothing if it is none of them.
std::optional<std::int64_t> unix_ms(double number) {
  if (number >= 1e9 && number < 1e11) return static_cast<std::int64_t>(number * 1000);
  if (number >= 1e11 && number < 1e14) return static_cast<std::int64_t>(number);
  if (number >= 1e14 && number < 1e17) return static_cast<std::int64_t>(number / 1000);
  return std::nullopt;
}

/// The latest time that is written down in the key as this owner's.
std::int64_t written_time_ms(const Entry& key, Maker owner) {
  std::int64_t latest = 0;
  const auto note = [&](Maker maker, double number) {
    if (maker == owner) latest = std::max(latest, unix_ms(number).value_or(0));
  };
  if (const auto* hash = std::get_if<sim::Hash>(&key.value))
    for (const auto& [name, field] : *hash)
      if (const auto number = sim::parse_integer(field.value))
        note(field.maker, static_cast<double>(*number));
  if (const auto* set = std::get_if<sim::SortedSet>(&key.value))
    for (const auto& [name, member] : *set) note(member.maker, member.score);
  return latest;
}

}  // namespace

/// The keys of all locks that this is a lease of.
std::set<std::string> Rules::locks_with(const std::string& lease_key) const {
  std::set<std::string> found;
  for (const auto& [lock, like] : locks_) {
    const auto leases = model_.program->lease_keys(lock.key);
    if (std::ranges::find(leases, lease_key) != leases.end()) found.insert(lock.key);
  }
  return found;
}

/// Whether several processes may have something in it that is a lock of theirs.
bool Rules::is_relied_on(const std::string& key) const {
  if (!model_.properties.contains(sim::Property::foreign_release) || !lease_keys_.contains(key))
    return false;
  return model_.program->is_shared() || locks_with(key).size() > 1;
}

/// Its clock has jumped: by it, what they rely on ends that much later than before.
void Rules::keep_reliances(Keyspace& keyspace, sim::Duration jump) const {
  keyspace.for_each([&](const std::string& key, Entry& entry) {
    if (!entry.expires || !is_relied_on(key)) return;
    std::vector<sim::Reliance> reliances;
    for (const Maker owner : Belongings(&entry).owners()) {
      sim::Expiry until = *relies_until(entry, owner);
      until.ms += jump.ms;
      if (until.ms < entry.expires->ms) reliances.push_back({owner, until});
    }
    entry.reliances = reliances;
  });
}

/// Until when the sender relies on a key, which it did until `before`; nothing: for ever.
std::optional<sim::Expiry> Rules::asked_until(const Keyspace& then, const Keyspace& now,
                                              const std::string& key, const Entry* was,
                                              const Entry* is, std::optional<sim::Expiry> before,
                                              const Requested& by) const {
  bool changed = has_changed(was, is), freed = false, made = false;
  std::int64_t written_ms = 0, lasting_ms = 0;
  const auto look_at = [&](const Entry* other_was, const Entry* other) {
    const Belongings had(other_was), has(other);
    freed = freed || had.freed(has, by.sender);
    made = made || had.made(has, by.sender);
    if (!other) return;
    changed = changed || (other->expires && ends_later(other_was, other));
    written_ms = std::max(written_ms, written_time_ms(*other, by.sender));
    if (other != is && has.all_of(by.sender) && other->expires)
      lasting_ms = std::max(lasting_ms, other->expires->ms);
  };
  for (const std::string& lock : locks_with(key))
    for (const std::string& lease : model_.program->lease_keys(lock))
      for (int database = 0; database < sim::kDatabases; ++database)
        look_at(then.find(database, lease), now.find(database, lease));
  const bool asked = changed && (made || !freed);
  if (asked && !is->expires) return std::nullopt;
  const sim::Duration tick = sim::script_tick(model_);
  const bool only_by_tick =
      was && was->expires && is->expires && (*is->expires - *was->expires).ms <= tick.ms;
  if (ends_later(was, is) && !only_by_tick)
    return is->expires ? std::optional(sim::Expiry(*is->expires + -tick)) : std::nullopt;
  if (written_ms > by.now.ms)
    return sim::Expiry(sim::WallTime{asked ? std::max(written_ms, lasting_ms) : written_ms});
  if (!asked) return before;
  const bool shown = lasting_ms > by.now.ms;
  const sim::Expiry wanted(shown ? sim::WallTime{lasting_ms} : by.now + by.lease);
  const bool had = Belongings(was).has_anything(by.sender);
  if (had && (!before || before->ms > wanted.ms)) return before;
  return wanted;
}

void Rules::note_reliances(const World& world, std::uint8_t p, const Message& asked, Maker sender,
                           const Keyspace& before, Keyspace& after, sim::WallTime now) const {
  if (!model_.properties.contains(sim::Property::foreign_release)) return;
  const bool own = sender == maker_of(p);
  const bool leaves = own && asked.in_release && world.processes[p].holdings.empty() &&
                      model_.processes[p].threads == 1;
  const Requested by{sender, now, {rounded_up(model_.processes[p].lease_ms)}};
  sim::for_each_with_before(
      before, after, [&](const std::string& key, const Entry* was, Entry& is) {
        std::vector<sim::Reliance> found;
        const std::set<Maker> owners =
            is_relied_on(key) ? Belongings(&is).owners() : std::set<Maker>{};
        for (const Maker owner : owners) {
          const bool had = Belongings(was).has_anything(owner);
          std::optional<sim::Expiry> until = had ? relies_until(*was, owner) : is.expires;
          if (own && owner == sender) {
            if (leaves) until = sim::Expiry(now);
            if (!asked.in_release) until = asked_until(before, after, key, was, &is, until, by);
          }
          if (until && (!is.expires || until->ms < is.expires->ms))
            found.push_back({owner, *until});
        }
        is.reliances = found;
      });
}

}  // namespace lockstep::checker::naive
