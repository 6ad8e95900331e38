// Until when who shares a lease key relies on it: "Parts" of docs/semantics.md.
#include <algorithm>
#include <optional>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Entry;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;

std::optional<sim::WallTime> relies_until(const Entry& key, Maker maker) {
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

/// Or never.
bool ends_later(const Entry* was, const Entry& is) {
  if (!was || !is.expires) return true;
  return was->expires && is.expires->ms > was->expires->ms;
}

}  // namespace

bool Rules::relies() const {
  return model_.program->is_shared() && model_.properties.contains(sim::Property::foreign_release);
}

/// Its clock has jumped: by it, what they rely on ends that much later than before.
void Rules::keep_reliances(Keyspace& keyspace, sim::Duration jump) const {
  if (!relies()) return;
  keyspace.for_each([&](const std::string& key, Entry& entry) {
    if (!entry.expires || !lease_keys_.contains(key)) return;
    std::vector<sim::Reliance> reliances;
    for (const Maker owner : Belongings(&entry).owners()) {
      sim::Reliance kept{owner, *entry.expires};
      for (const sim::Reliance& reliance : entry.reliances)
        if (reliance.maker == owner) kept = reliance;
      kept.until.ms += jump.ms;
      if (kept.until.ms < entry.expires->ms)
        reliances.push_back({owner, sim::Expiry(kept.until, kept.until.sooner)});
    }
    entry.reliances = reliances;
  });
}

void Rules::note_reliances(const World& world, std::uint8_t p, const Message& asked, Maker sender,
                           const Keyspace& before, Keyspace& after, sim::WallTime now) const {
  if (!relies()) return;
  bool changed = false, freed = false, made = false;
  for (const std::string& key : lease_keys_) {
    for (int database = 0; database < sim::kDatabases; ++database) {
      const Entry *was = before.find(database, key), *is = after.find(database, key);
      changed = changed || has_changed(was, is);
      freed = freed || Belongings(was).freed(Belongings(is), sender);
      made = made || Belongings(was).made(Belongings(is), sender);
    }
  }
  const bool asks = sender == maker_of(p) && !asked.in_release && changed && (made || !freed);
  const bool leaves = sender == maker_of(p) && asked.in_release &&
                      world.processes[p].holdings.empty() && model_.processes[p].threads == 1;
  const sim::Duration lease{rounded_up(model_.processes[p].lease_ms)};
  const auto note = [&](const Entry* was, Entry& is) {
    const Belongings had(was);
    std::vector<sim::Reliance> reliances;
    for (const Maker owner : Belongings(&is).owners()) {
      const bool stays = had.has_anything(owner);
      std::optional<sim::Expiry> until = is.expires;
      if (stays) {
        until = was->expires;
        for (const sim::Reliance& reliance : was->reliances)
          if (reliance.maker == owner) until = reliance.until;
      }
      if (leaves && owner == sender) until = sim::Expiry(now);
      if (asks && owner == sender) {
        if (ends_later(was, is)) {
          until = is.expires;
        } else if (const sim::Expiry wanted(now + lease); !stays) {
          until = wanted;
        } else if (until && until->ms < wanted.ms) {
          until = wanted;
        }
      }
      if (until && (!is.expires || until->ms < is.expires->ms))
        reliances.push_back({owner, sim::Expiry(*until, until->sooner)});
    }
    is.reliances = reliances;
  };
  for (int database = 0; database < sim::kDatabases; ++database) {
    sim::Keys* keys = nullptr;
    if (database == 0) keys = &after.keys;
    if (const auto other = after.others.find(static_cast<std::uint8_t>(database));
        other != after.others.end())
      keys = &other->second;
    if (keys == nullptr) continue;
    for (auto& [key, entry] : *keys) {
      if (lease_keys_.contains(key))
        note(before.find(database, key), entry);
      else
        entry.reliances.clear();
    }
  }
}

}  // namespace lockstep::checker::naive
