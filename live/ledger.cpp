// Executes again and compares; see the header.
#include "live/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/parts.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::live {

namespace {

using sim::Reply;

/// What the server did and what the ledger did are not the same.
struct Disagreement {
  std::string text;
  bool others_write = false;  ///< nobody of the run can have done it
};

std::int64_t expiry_of(const sim::Entry& entry) {
  return entry.expires ? entry.expires->ms : kNoExpiry;
}

const sim::Entry* entry_at(const sim::Keys& keys, const std::string& name) {
  const auto found = keys.find(name);
  return found == keys.end() ? nullptr : &found->second;
}

bool has_trait(const sim::Request& request, sim::CommandTrait trait) {
  const auto* command = sim::find_command(request);
  return command && command->has(trait);
}

/// Which numbers of a reply may be lifetimes: the server's clock went on within the envelope, ours
/// stood still, so that it says less.
struct Lifetimes {
  std::int64_t least = 0;     ///< a lower number is an answer
  std::int64_t slack_ms = 0;  ///< by how much it may be less
};

Lifetimes lifetimes_in(const sim::Request& request, const sim::Execution& execution,
                       std::int64_t slack_ms) {
  if (!execution.looked_at_clock) return {};
  if (has_trait(request, sim::kLooksAtClock)) return {0, slack_ms};
  return {2, slack_ms};  // a script's 0 and 1 are answers
}

bool same_number(std::int64_t ours, std::int64_t theirs, const Lifetimes& lifetimes) {
  if (ours == theirs) return true;
  return std::min(ours, theirs) >= lifetimes.least && std::abs(ours - theirs) <= lifetimes.slack_ms;
}

bool same_reply(const Reply& ours, const Reply& theirs, const Lifetimes& lifetimes) {
  if (ours.kind != theirs.kind) return false;
  if (ours.is_error()) return true;  // texts differ between versions
  return ours.text == theirs.text && same_number(ours.integer, theirs.integer, lifetimes) &&
         std::equal(ours.items.begin(), ours.items.end(), theirs.items.begin(), theirs.items.end(),
                    [&](const Reply& a, const Reply& b) { return same_reply(a, b, lifetimes); });
}

}  // namespace

struct Ledger::Copy {
  explicit Copy(sim::ServerVersion server) : scripts({}, server), version(server) {}

  sim::Keyspace keyspace;
  sim::ScriptVm scripts;
  sim::ServerVersion version;
};

Ledger::Ledger(std::vector<std::string> lease_keys, sim::ServerVersion version, OwnerNames names)
    : lease_keys_(std::move(lease_keys)),
      names_(std::move(names)),
      copy_(std::make_unique<Copy>(version)) {}

Ledger::~Ledger() = default;

void Ledger::add(Entry entry) {
  const auto order = entry.executed.order;
  if (order < next_order_ || !waiting_.emplace(order, std::move(entry)).second) {
    lost_because_ = "somebody else has changed the run's counter";
    others_write_ = true;
  }
}

std::optional<Posting> Ledger::next() {
  const auto first = waiting_.begin();
  if (!lost_because_.empty() || first == waiting_.end() || first->first != next_order_)
    return std::nullopt;
  auto entry = std::move(first->second);
  waiting_.erase(first);
  ++next_order_;
  try {
    return post(std::move(entry));
  } catch (const Disagreement& disagreement) {
    lost_because_ = disagreement.text;
    others_write_ = disagreement.others_write;
  } catch (const sim::BadInput& error) {
    lost_because_ = fmt::format("a request cannot be executed again: {}", error.what());
  }
  return std::nullopt;
}

Posting Ledger::post(Entry entry) {
  const auto& seen = entry.executed;
  take_before(seen);
  const bool lease_ends = std::any_of(seen.before.begin(), seen.before.end(), [&](auto expires) {
    return expires >= 0 && expires < seen.ended.ms;
  });
  return lease_ends && has_trait(entry.request, sim::kRunsScript) ? post_at_end_of_lease(entry)
                                                                  : execute_again(std::move(entry));
}

/// A transaction has one clock for its commands, but a script in it has a later one (Redis 7.0
/// script.c scriptTimeSnapshot): a key that is there before it may have expired for the script.
/// What the server said tells which it was.
Posting Ledger::post_at_end_of_lease(const Entry& entry) {
  const auto attempt = [&]() -> std::variant<Posting, Disagreement> {
    try {
      return execute_again(entry);
    } catch (const Disagreement& disagreement) {
      return disagreement;
    }
  };
  auto before = copy_->keyspace;
  auto lasting = attempt();
  auto after = std::exchange(copy_->keyspace, std::move(before));
  for (const auto& name : lease_keys_) {
    const auto found = copy_->keyspace.keys.find(name);
    if (found != copy_->keyspace.keys.end() && found->second.expires &&
        *found->second.expires < entry.executed.ended)
      copy_->keyspace.keys.erase(found);
  }
  auto expired = attempt();
  auto* const as_lasting = std::get_if<Posting>(&lasting);
  auto* const as_expired = std::get_if<Posting>(&expired);
  if (as_lasting && as_expired) throw Disagreement{"a lease ended just when a script used its key"};
  if (!as_lasting && !as_expired) throw std::get<Disagreement>(lasting);
  if (as_lasting) copy_->keyspace = std::move(after);
  return std::move(as_lasting ? *as_lasting : *as_expired);
}

/// The clock of our execution is never behind the envelope's, nor beyond what a key that is there
/// would survive.
Posting Ledger::execute_again(Entry entry) {
  const auto& seen = entry.executed;
  Posting posting;
  posting.before = keys();
  const sim::Keyspace before = copy_->keyspace;
  sim::Execution execution;
  execution.now = seen.begun;
  for (const auto& key : posting.before)
    if (key.expires >= 0) execution.now.ms = std::min(execution.now.ms, key.expires);
  execution.sender = sim::maker_of(entry.process);
  execution.scripts = &copy_->scripts;
  execution.mode.version = copy_->version;
  const auto reply = sim::execute(copy_->keyspace, entry.request, execution);
  const auto slack_ms = (seen.ended - execution.now).ms + 1;
  const bool same =
      execution.looked_at_time
          ? reply.kind == seen.reply->kind
          : same_reply(reply, *seen.reply, lifetimes_in(entry.request, execution, slack_ms));
  if (!same)
    throw Disagreement{fmt::format("{} -> {}, where {} would be expected of what was sent before",
                                   entry.request[0], sim::worded(*seen.reply), sim::worded(reply))};
  take_after(seen, slack_ms);
  sim::Rewriter rewriter{execution.sender};  // who is idle is not known here
  if (sim::hides_what_is_equal(entry.request))
    sim::keep_what_is_as_before(before, copy_->keyspace, rewriter);
  tell_whose(before, entry);
  posting.after = keys();
  for (const auto& name : lease_keys_)
    posting.changes.push_back(sim::change_of(
        entry_at(before.keys, name), entry_at(copy_->keyspace.keys, name), execution.sender,
        names_.tokens_in ? names_.tokens_in : sim::simulated_tokens));
  posting.entry = std::move(entry);
  return posting;
}

void Ledger::refuse_unclear(const std::function<bool(const std::string&)>& is_lease) const {
  copy_->keyspace.for_each([&](const std::string& key, const sim::Entry& entry) {
    if (is_lease(key) && sim::names_several(sim::visible(entry), names_.tokens_in))
      throw Disagreement{
          "the value of " + key +
          " bears the tokens of several clients, and whose the lock is then is not told"};
  });
}

/// Whose is what a request has left, beyond who has put it there.
void Ledger::tell_whose(const sim::Keyspace& before, const Entry& entry) {
  if (!names_.tokens_in) return;
  const sim::Maker sender = sim::maker_of(entry.process);
  const auto is_lease = [&](const std::string& key) {
    return std::ranges::find(lease_keys_, key) != lease_keys_.end();
  };
  if (names_.leases.several_hold)
    sim::keep_owners(before, copy_->keyspace,
                     sim::WrittenBy{sender, sim::runs_several(entry.request), names_.tokens_in},
                     is_lease);
  else
    refuse_unclear(is_lease);
  sim::hand_over(before, copy_->keyspace, {sender, 0, sim::kNobody, names_.tokens_in}, is_lease);
  const bool is_client = entry.process < names_.leases_ms.size();  // else a fresh one
  sim::note_reliances(before, copy_->keyspace,
                      {sender,
                       is_client ? names_.leases_ms[entry.process] : 0,
                       false,
                       false,
                       entry.executed.begun,
                       {1}},
                      names_.leases);
}

/// What the server shows before the request: as after the one before, but that keys have expired.
void Ledger::take_before(const Executed& seen) {
  for (std::size_t i = 0; i < lease_keys_.size(); ++i) {
    const auto& name = lease_keys_[i];
    const auto found = copy_->keyspace.keys.find(name);
    const bool known = found != copy_->keyspace.keys.end();
    if (seen.before[i] == kNoKey) {
      if (!known) continue;
      const bool expired = found->second.expires && *found->second.expires < seen.begun;
      if (!expired)
        throw Disagreement{fmt::format("the key {} was gone before its time", name), true};
      copy_->keyspace.keys.erase(found);
    } else if (!known || expiry_of(found->second) != seen.before[i]) {
      throw Disagreement{fmt::format("the key {} was changed by nobody of this run", name), true};
    }
  }
}

/// What it shows after it: the same keys. Expiries are taken over as they are there.
void Ledger::take_after(const Executed& seen, std::int64_t slack_ms) {
  for (std::size_t i = 0; i < lease_keys_.size(); ++i) {
    const auto found = copy_->keyspace.keys.find(lease_keys_[i]);
    const bool known = found != copy_->keyspace.keys.end();
    const auto ours = known ? expiry_of(found->second) : kNoKey, theirs = seen.after[i];
    const bool same =
        ours == theirs || (ours >= 0 && theirs >= 0 && std::abs(ours - theirs) <= slack_ms);
    if (!same)
      throw Disagreement{
          fmt::format("the key {} was not as what was sent would leave it", lease_keys_[i])};
    if (theirs >= 0) found->second.expires = sim::WallTime{theirs};
  }
}

KeyStates Ledger::keys() const {
  KeyStates states;
  for (const auto& name : lease_keys_) {
    const auto found = copy_->keyspace.keys.find(name);
    states.push_back(found == copy_->keyspace.keys.end()
                         ? KeyState{}
                         : KeyState{sim::belongings_in(found->second), expiry_of(found->second)});
  }
  return states;
}

}  // namespace lockstep::live
