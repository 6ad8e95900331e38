// The story of a run, and the sentence of its violation.
#include "checker/trace/violation_teller.hpp"

#include <algorithm>
#include <set>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/model/lease_keys.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::checker {

using naive::Node;
using sim::Action;
using sim::Effect;

namespace {

/// A key before and after an event, in the first database in which it changed, else in which it is.
struct KeyChange {
  const sim::Entry* was = nullptr;
  const sim::Entry* is = nullptr;
};

KeyChange change_at(const Event& event, std::size_t n, const std::string& key) {
  KeyChange unchanged;
  for (int database = 0; database < sim::kDatabases; ++database) {
    const KeyChange change{event.before.nodes[n].keyspace.find(database, key),
                           event.after.nodes[n].keyspace.find(database, key)};
    const bool same = change.was && change.is ? *change.was == *change.is : change.was == change.is;
    if (!same) return change;
    if (change.is && !unchanged.is) unchanged = change;
  }
  return unchanged;
}

bool is_string(const sim::Entry* entry) {
  return entry != nullptr && std::holds_alternative<std::string>(entry->value);
}

/// What becomes of a part of `owner` that it loses: of the key as a whole, or only of its part.
std::string loss(const KeyChange& change, const std::string& owner, const std::string& key) {
  const std::string whole = owner + "'s key " + sim::worded_value(key);
  if (change.is == nullptr) return " removed " + whole;
  const bool overwritten = is_string(change.is) && change.is->shares.empty();
  return overwritten ? " overwrote " + whole
                     : " took what " + owner + " had in the key " + sim::worded_value(key);
}

/// A key of a master that a replica takes the place of, and what the replica has of it.
KeyChange change_by_promotion(const Event& event, std::size_t n, const std::string& key) {
  const std::uint8_t master = event.before.nodes[n].follows.value_or(static_cast<std::uint8_t>(n));
  return {change_at(event, master, key).was, change_at(event, n, key).is};
}

/// How what `owner` had in a lease key ended in this event.
std::string tell_end(const Event& event, std::size_t n, const std::string& key,
                     const KeyChange& change, std::uint8_t owner) {
  const std::string name = sim::process_name(owner);
  const std::string at = " at " + ms(event.after.now.ms);
  const std::string node = node_name(event, static_cast<std::uint8_t>(n));
  const std::string there = event.after.nodes.size() > 1 ? " on " + node : "";
  switch (event.action.kind) {
    case Action::Kind::pass: {
      const std::int64_t end_ms =
          event.before.now.ms - 1 +
          naive::time_to_less(event.before, event.before.nodes[n], *change.was, 0);
      return name + "'s lease" + there + " ended at " + ms(end_ms);
    }
    case Action::Kind::jump_node:
      return name + "'s lease" + there + " ended" + at + ", when the clock of " + node + " jumped";
    case Action::Kind::execute: {
      const std::string request =
          worded_to(event, executed(event).request, static_cast<std::uint8_t>(n));
      const std::string whose = sim::process_name(event.action.process) + "'s " + request;
      const bool own = event.action.process == owner && change.is != nullptr;
      return whose +
             (own ? " gave back what it had in the key " + sim::worded_value(key)
                  : loss(change, name, key)) +
             at;
    }
    case Action::Kind::failover:
      return node + " became master" + at + " without " + name + "'s key";
    case Action::Kind::follow:
      return node + " gave up " + name + "'s key" + at + ", when it became a replica of " +
             node_name(event, event.after.nodes[n].follows.value_or(0));
    default:
      return node + " lost " + name + "'s key" + at;
  }
}

sim::Makers owners_of(const sim::Entry* entry) {
  return entry == nullptr ? sim::Makers{0} : sim::belongings_in(*entry).any;
}

void tell_ends(Story& story, const Event& event) {
  for (std::size_t n = 0; n < event.before.nodes.size(); ++n) {
    if (event.before.nodes[n].follows && event.after.nodes[n].follows) continue;  // a mirror
    for (const std::string& key : sim::lease_keys(event.rules.model())) {
      const bool promoted = event.action.kind == Action::Kind::failover && event.action.node == n;
      const KeyChange change =
          promoted ? change_by_promotion(event, n, key) : change_at(event, n, key);
      const sim::Makers before = owners_of(change.was), after = owners_of(change.is);
      for (std::uint8_t p = 0; p < event.after.processes.size(); ++p) {
        const bool had = sim::has_maker(before, sim::maker_of(p));
        const bool has = sim::has_maker(after, sim::maker_of(p));
        if (had && !has && !sim::is_crash(event.action.kind))
          story.ends[{p, key}] = tell_end(event, n, key, change, p);
        if (!had && has) story.ends.erase({p, key});
      }
    }
  }
}

/// Whether what a process does here may follow from what it has found out about its lease: not so
/// if only the resource answers it.
bool may_find_out(const Event& event) {
  const Action& action = event.action;
  if (action.kind == Action::Kind::deliver)
    return event.before.processes[action.process].connections[action.connection].node !=
           sim::kResource;
  return action.kind == Action::Kind::run || action.kind == Action::Kind::timer;
}

/// How the lease of a process on a lock ended, if it did.
std::string end_of(const Story& story, const Event& event, std::uint8_t process,
                   const std::string& lock) {
  for (const std::string& key : event.rules.model().program->lease_keys(lock)) {
    const auto end = story.ends.find({process, key});
    if (end != story.ends.end()) return end->second;
  }
  return "";
}

/// Which masters have the key of whom, if two of one group believe different things.
std::string keys_apart(const Event& event, const naive::Violation& violation) {
  std::set<std::string> masters, owners;
  std::string text;
  for (std::size_t n = 0; n < event.after.nodes.size(); ++n) {
    const Node& node = event.after.nodes[n];
    if (!node.up || node.follows) continue;
    for (const std::string& key : event.rules.model().program->lease_keys(violation.key)) {
      for (const std::uint8_t p : {violation.other, violation.process}) {
        if (!sim::has_maker(owners_of(change_at(event, n, key).is), sim::maker_of(p))) continue;
        masters.insert(node_name(event, static_cast<std::uint8_t>(n)));
        owners.insert(sim::process_name(p));
        text += (text.empty() ? "" : ", and ") + node_name(event, static_cast<std::uint8_t>(n)) +
                " believes that " + sim::process_name(p) + " holds the lock";
      }
    }
  }
  const bool split = event.after.nodes.size() > event.after.newest.size() && masters.size() == 2 &&
                     owners.size() == 2;
  return split ? text + "." : "";
}

/// The process of each task that holds a lock.
std::vector<std::uint8_t> holders_of(const Event& event, const std::string& lock) {
  std::vector<std::uint8_t> holders;
  for (std::uint8_t p = 0; p < event.after.processes.size(); ++p)
    for (const auto& [holding, held] : event.after.processes[p].holdings)
      if (event.rules.model().processes[p].lock_keys[holding.second] == lock) holders.push_back(p);
  return holders;
}

std::string tell_overlap(const Story& story, const Event& event,
                         const naive::Violation& violation) {
  const int permits = event.rules.model().program->permits();
  std::vector<std::uint8_t> holders{violation.other, violation.process};
  if (permits > 1) holders = holders_of(event, violation.key);
  const std::string text = sim::worded_overlap(holders, permits);
  for (const std::uint8_t process : {violation.other, violation.process}) {
    const std::string end = end_of(story, event, process, violation.key);
    if (end.empty()) continue;
    const bool ran = story.ran_since.contains(process);
    return text + "; " + end + ", and " + sim::process_name(process) +
           (ran ? " goes on." : " does not know.");
  }
  const std::string apart = keys_apart(event, violation);
  if (!apart.empty()) return text + "; " + apart;
  return text + "; " + (permits == 1 ? "both" : "all") + " were told that they hold the lock.";
}

bool counts_in(const sim::Entry& number, sim::Maker maker) {
  return std::ranges::any_of(number.shares, [maker](const sim::Share& share) {
    return share.maker == maker && share.place == 0;
  });
}

/// ", while A is in the critical section (since 0 ms)"
std::string while_inside(const Story& story, std::uint8_t owner) {
  const std::string text = ", while " + sim::process_name(owner) + " is in the critical section";
  const auto since = story.in_section_since_ms.find(owner);
  return since == story.in_section_since_ms.end() ? text
                                                  : text + " (since " + ms(since->second) + ")";
}

/// Of a request that an acquire() sent which has just failed, or sleeps before it asks again.
std::string tell_prolonged(const Story& story, const Event& event,
                           const naive::Violation& violation) {
  const std::string name = sim::process_name(violation.process);
  const bool ended = std::ranges::any_of(event.facts.effects, [](const Effect& effect) {
    return effect.kind == Effect::Kind::refused || effect.kind == Effect::Kind::failed;
  });
  return name + (ended ? " does not get the lock" : " waits for the lock") +
         ", but has prolonged " + sim::process_name(violation.other) + "'s key " +
         sim::worded_value(violation.key) + while_inside(story, violation.other) + ".";
}

std::string tell_foreign(const Story& story, const Event& event,
                         const naive::Violation& violation) {
  if (event.action.kind != Action::Kind::execute) return tell_prolonged(story, event, violation);
  const std::uint8_t n = connection_of(event).node;
  const KeyChange change = change_at(event, n, violation.key);
  const std::string owner = sim::process_name(violation.other);
  const sim::Maker maker = sim::maker_of(violation.other);
  const naive::Belongings had(change.was), has(change.is);
  const bool shortened =
      change.was && change.is &&
      !had.took_from(has, sim::maker_of(violation.process), sim::maker_of(violation.other));
  const std::string key = owner + "'s key " + sim::worded_value(violation.key);
  std::string harm = loss(change, owner, violation.key);
  if (violation.property == sim::Property::foreign_extend) harm = " prolonged " + key;
  if (violation.property == sim::Property::foreign_release && shortened) harm = " shortened " + key;
  if (change.is && is_string(change.is) && counts_in(*change.is, maker) && !shortened &&
      violation.property == sim::Property::foreign_release)
    harm = " gave back what " + owner + " has taken of the key " + sim::worded_value(violation.key);
  const std::string former = connection_of(event).former ? ", sent before it crashed," : "";
  std::string text = sim::process_name(violation.process) + "'s " +
                     worded_to(event, executed(event).request, n) + former + harm +
                     while_inside(story, violation.other);
  const std::string end = end_of(story, event, violation.process, violation.key);
  return end.empty() || violation.process == violation.other ? text + "." : text + "; " + end + ".";
}

/// "the key lock is", or, of one that others can have parts of, "a part of the key lock is".
std::string own_key(const Event& event, const std::string& key) {
  bool whole = true;
  for (std::size_t n = 0; n < event.after.nodes.size(); ++n) {
    const sim::Entry* entry = change_at(event, n, key).is;
    whole = whole && (entry == nullptr || is_string(entry));
  }
  return (whole ? "the key " : "a part of the key ") + sim::worded_value(key) + " is";
}

std::string tell_dishonesty(const Story& story, const Event& event,
                            const naive::Violation& violation) {
  const std::string name = sim::process_name(violation.process);
  const auto did = [&](const auto& is_it) {
    return std::any_of(event.facts.effects.begin(), event.facts.effects.end(), is_it);
  };
  const auto failed = [&](bool in_release) {
    return did([in_release](const Effect& effect) {
      return effect.kind == Effect::Kind::failed && effect.in_release == in_release;
    });
  };
  if (failed(false))
    return name + "'s acquire() ends in an error, but " + own_key(event, violation.key) +
           " its own.";
  if (failed(true)) return name + "'s release() ends in an error, but has removed its key.";
  if (did([](const Effect& effect) { return effect.kind == Effect::Kind::refused; })) {
    return name + " is told that it did not get the lock, but " + own_key(event, violation.key) +
           " its own.";
  }
  if (did([](const Effect& effect) { return effect.kind == Effect::Kind::released && !effect.ok; }))
    return name + " is told that it did not release the lock, but has removed its key.";
  const std::string end = end_of(story, event, violation.process, violation.key);
  const sim::Model& model = event.rules.model();
  const int quorum = model.program->quorum(static_cast<int>(sim::servers_of(model).nodes));
  const std::string removed = quorum == 1 ? "no key of its own was removed"
                                          : "its key was removed on fewer nodes than the " +
                                                std::to_string(quorum) + " that a lock needs";
  return name + " is told that it released the lock, but " + removed +
         (end.empty() ? "." : "; " + end + ".");
}

std::string tell_reentrancy(const Story& story, const Event& event,
                            const naive::Violation& violation) {
  const std::string name = sim::process_name(violation.process);
  const auto& holdings = event.after.processes[violation.process].holdings;
  const auto& locks = event.rules.model().processes[violation.process].lock_keys;
  const bool inside = std::ranges::any_of(
      holdings, [&](const auto& held) { return locks[held.first.second] == violation.key; });
  const bool ended =
      std::any_of(event.facts.effects.begin(), event.facts.effects.end(),
                  [](const Effect& effect) { return effect.kind == Effect::Kind::released; });
  if (ended && !inside) {
    return name + " has released as often as it acquired, but " + own_key(event, violation.key) +
           " still its own.";
  }
  const std::string end = end_of(story, event, violation.process, violation.key);
  if (event.action.kind == Action::Kind::execute)
    return name + " is in the critical section, and has itself removed its key" +
           (end.empty() ? "." : "; " + end + ".");
  return name + " is told that it still holds the lock, but has no key of it any more" +
         (end.empty() ? "." : "; " + end + ".");
}

std::string tell_lost_update(const Story& story, const naive::Violation& violation) {
  const std::string name = sim::process_name(violation.process);
  if (!story.last_write) return name + "'s write is based on an old value.";
  const std::string other = story.last_write->first == violation.process
                                ? name + " itself"
                                : sim::process_name(story.last_write->first);
  return name + "'s write was accepted, although " + other + " had written at " +
         ms(story.last_write->second) + ", after " + name + " read: that update is lost.";
}

std::string tell_lasting_key(const Event& event, const std::string& key) {
  for (const Node& node : event.after.nodes) {
    for (int database = 0; database < sim::kDatabases; ++database) {
      const sim::Entry* entry = node.keyspace.find(database, key);
      if (entry != nullptr && !entry->expires)
        return sim::worded_value(key) + " = " + sim::worded(sim::visible(*entry)) +
               " stays for ever";
    }
  }
  return "";
}

/// Which one could not acquire, where a client of another role might.
std::string like_whom(const sim::Model& model, const naive::Violation& violation) {
  const sim::ProcessSetup& like = model.processes[violation.other];
  const auto is_like = [&](const sim::ProcessSetup& setup) {
    return setup.workload == like.workload && setup.lease_ms == like.lease_ms &&
           setup.settings == like.settings;
  };
  if (std::ranges::all_of(model.processes, is_like)) return "";
  return " like " + sim::process_name(violation.other);
}

std::string tell_deadlock(const Event& event, const naive::Violation& violation) {
  const int permits = event.rules.model().program->permits();
  const std::string who =
      (permits == 1 ? "a fresh client" : std::to_string(permits) + " fresh clients") +
      like_whom(event.rules.model(), violation);
  const std::string together =
      std::string(permits == 1 ? "" : " at the same time") + (violation.shared ? " (shared)" : "");
  std::string text = "nobody holds the lock and nothing is on its way, yet " + who +
                     " could never acquire it" + together;
  for (const std::string& key : event.rules.model().program->lease_keys(violation.key)) {
    const std::string lasting = tell_lasting_key(event, key);
    if (!lasting.empty()) text += ": " + lasting;
  }
  return text + ".";
}

/// Who holds the lock, in words.
std::string told_holders(const Event& event, const std::string& lock) {
  std::vector<std::uint8_t> holders = holders_of(event, lock);
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  if (holders.empty()) return "nobody holds it";
  std::string names;
  for (const std::uint8_t process : holders)
    names += (names.empty() ? "" : " and ") + sim::process_name(process);
  return names + (holders.size() == 1 ? " holds it" : " hold it");
}

std::string tell_wait(const Event& event, const naive::Violation& violation) {
  const sim::Model& model = event.rules.model();
  const std::string& lock = violation.key;
  std::int64_t longest_ms = 0;
  for (const auto& [task, state] : event.after.processes[violation.process].tasks)
    longest_ms = std::max(longest_ms, state.wait_ms.value_or(0));
  const std::string free = model.waits_after == sim::WaitsAfter::free ? " while it was free" : "";
  return sim::process_name(violation.process) + " has waited for " + ms(longest_ms) +
         " inside acquire() of " + sim::worded_value(lock) + free + ", longer than " +
         ms(model.waits_ms) + "; " + told_holders(event, lock) + '.';
}

std::string tell_passed(const Event& event, const naive::Violation& violation) {
  const sim::Model& model = event.rules.model();
  unsigned times = 0;
  for (const auto& [task, state] : event.after.processes[violation.process].tasks)
    times = std::max(times, state.times_passed);
  return "others have got " + sim::worded_value(violation.key) + ' ' +
         (times == 1 ? "once" : std::to_string(times) + " times") + " while " +
         sim::process_name(violation.process) + " was inside acquire(), which is more than " +
         std::to_string(model.overtakes.value_or(0)) + '.';
}

}  // namespace

void tell_on(Story& story, const Event& event) {
  tell_ends(story, event);
  if (may_find_out(event) && !event.facts.violation) story.ran_since.insert(event.action.process);
  for (std::size_t p = 0; p < event.after.processes.size(); ++p) {
    const auto process = static_cast<std::uint8_t>(p);
    if (event.after.processes[p].holdings.empty())
      story.in_section_since_ms.erase(process);
    else if (story.in_section_since_ms.try_emplace(process, event.after.now.ms).second)
      story.ran_since.erase(process);
  }
  const bool write = event.action.kind == Action::Kind::execute &&
                     connection_of(event).node == sim::kResource &&
                     executed(event).request[0] == "WRITE" && !event.facts.reply->is_error();
  if (write && !event.facts.violation) {
    story.last_write = {event.action.process, event.after.now.ms};
  }
}

std::string tell_violation(const Story& story, const Event& event,
                           const naive::Violation& violation) {
  switch (violation.property) {
    case sim::Property::fairness:
      return tell_passed(event, violation);
    case sim::Property::mutual_exclusion:
      return tell_overlap(story, event, violation);
    case sim::Property::no_lost_update:
      return tell_lost_update(story, violation);
    case sim::Property::foreign_release:
    case sim::Property::foreign_extend:
      return tell_foreign(story, event, violation);
    case sim::Property::honest_result:
      return tell_dishonesty(story, event, violation);
    case sim::Property::reentrancy:
      return tell_reentrancy(story, event, violation);
    case sim::Property::deadlock:
      return tell_deadlock(event, violation);
    case sim::Property::lost_wakeup:
      return sim::process_name(violation.process) + " waits to be told that \"" + violation.key +
             "\" is free: it was given back, and nothing is under way that will tell it.";
    case sim::Property::waits:
      return tell_wait(event, violation);
    case sim::Property::progress:
      break;  // no step violates it
    case sim::Property::lost_told:
      return sim::process_name(violation.process) + " is told that it has lost the lock, but " +
             own_key(event, violation.key) + " still its own.";
    case sim::Property::invariant:
      return "it is claimed that \"" + violation.key + "\", and that is not true here.";
    case sim::Property::leak:
      return "nobody is under way any more, and the key " + tell_lasting_key(event, violation.key) +
             ".";
  }
  sim::fail("a property", __FILE__, __LINE__);
}

}  // namespace lockstep::checker
