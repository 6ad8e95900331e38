// The logical clock, and who may not touch whose key; see the header.
#include "live/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "live/naming.hpp"
#include "live/wording.hpp"
#include "sim/base/token.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::live {

namespace {

using Lock = std::lock_guard<std::mutex>;
using sim::Property;

/// The sender of the run's own look: no process.
constexpr std::uint8_t kNobody = 254;

bool sooner(std::int64_t a, std::int64_t b) { return a != kNoExpiry && (b == kNoExpiry || a < b); }

/// What a request did that has taken from somebody in the lease key of this number.
const char* harm_to(const Posting& posting, std::size_t key) {
  const auto &was = posting.before[key], &is = posting.after[key];
  if (!is.exists()) return "removes the key";
  if (was.own.any == is.own.any && sooner(is.expires, was.expires))
    return "shortens the lease of the key";
  return "takes from the key";
}

}  // namespace

bool is_of_calls(Property property) {
  return property == Property::honest_result || property == Property::reentrancy;
}

bool needs_ownership(Property property) { return row(property).live == sim::LiveJudge::ownership; }

Ownership::Ownership(const sim::Model& model, Referee& referee)
    : referee_(referee),
      model_(model),
      leases_(model),
      envelope_("lockstep:order:" + random_token(), leases_.names()),
      several_hold_(model.program->is_shared()),
      operations_(model, leases_) {
  const auto tokens_in = [this](const std::string& text) { return tokens_.in(text); };
  const sim::LeaseMap leases{[this](const std::string& key) { return leases_.locks_of(key); },
                             several_hold_};
  std::vector<std::int64_t> leases_ms;
  for (const sim::ProcessSetup& setup : model.processes) leases_ms.push_back(setup.lease_ms);
  for (unsigned node = 0; node < sim::servers_of(model).nodes; ++node)
    ledgers_.emplace_back(leases_.names(), model.server, OwnerNames{tokens_in, leases, leases_ms});
}

void Ownership::drew(std::uint8_t process, const std::string& token) {
  const Lock lock(mutex_);
  tokens_.drew(process, token);
}

void Ownership::lose(const std::string& why) {
  if (lost_because_.empty()) lost_because_ = why;
  watching_ = false;
}

void Ownership::lose_sight(const std::string& why) {
  const Lock lock(mutex_);
  lose(why);
}

std::string Ownership::lost_because() const {
  const Lock lock(mutex_);
  return lost_because_;
}

bool Ownership::others_write() const {
  const Lock lock(mutex_);
  return std::ranges::any_of(ledgers_, &Ledger::others_write);
}

void Ownership::did(std::uint8_t process, const sim::Effect& effect) {
  if (!watching_) return;
  const auto moment = referee_.moment();
  const Lock lock(mutex_);
  operations_.did(process, effect, ++now_, moment, ledgers_.front());
}

void Ownership::waits(std::uint8_t process, const std::vector<sim::Wait>& waits) {
  if (!watching_) return;
  const auto moment = referee_.moment();
  const Lock lock(mutex_);
  operations_.waits(process, waits, ++now_, moment);
}

Ticket Ownership::sent(std::uint8_t process, sim::TaskId task, std::uint8_t node) {
  const Lock lock(mutex_);
  return {node, ++now_, operations_.turn(process, task)};
}

void Ownership::heard(std::uint8_t process, sim::TaskId task, const Ticket& ticket,
                      sim::Request request, Executed executed, bool in_time) {
  if (!watching_) return;
  const auto moment = referee_.moment();
  const Lock lock(mutex_);
  Entry entry;
  entry.process = process;
  entry.task = task;
  entry.node = ticket.node;
  entry.request = std::move(request);
  entry.executed = std::move(executed);
  entry.sent = ticket.sent;
  entry.heard = ++now_;
  const auto turn = operations_.turn(process, task);
  // What is executed after the program has given up counts for no operation, and nobody knows when
  // it was.
  entry.operating = !in_time || turn != ticket.turn ? Throughout::unclear
                    : turn % 2 == 1                 ? Throughout::yes
                                                    : Throughout::no;
  entry.holders = operations_.holders(ticket.sent);
  entry.moment = moment;
  post(std::move(entry));
}

/// Judges what can be judged now. After a loss nothing is.
void Ownership::post(Entry entry) {
  if (!watching_) return;
  auto& ledger = ledgers_.at(entry.node);
  ledger.add(std::move(entry));
  while (const auto posting = ledger.next()) judge(*posting);
  if (!ledger.lost_because().empty()) lose(ledger.lost_because());
}

/// The lease key of this number, and where it is.
std::string Ownership::named(const Posting& posting, std::size_t key) const {
  const auto& name = leases_.names()[key];
  return ledgers_.size() == 1 ? name : name + " on " + worded_node(model_, posting.entry.node);
}

void Ownership::judge(const Posting& posting) {
  const auto& entry = posting.entry;
  const auto held = [&](std::size_t key, std::uint8_t owner, bool exclusive = false) {
    return std::any_of(entry.holders.begin(), entry.holders.end(), [&](const Holder& holder) {
      if (holder.process != owner) return false;
      if (exclusive && sim::is_shared(model_.processes[owner], holder.lock)) return false;
      const auto& numbers = leases_.of(owner, holder.lock);
      return std::find(numbers.begin(), numbers.end(), key) != numbers.end();
    });
  };
  for (std::size_t i = 0; i < posting.before.size(); ++i) {
    const auto& change = posting.changes[i];
    const int permits = model_.program->permits();
    for (std::size_t p = 0; p < model_.processes.size(); ++p) {
      const auto owner = static_cast<std::uint8_t>(p);
      if (!held(i, owner)) continue;
      const auto told = [&](Property property, const char* what) {
        const auto text = fmt::format("{} {} {}, of which {} has a part, and holds the lock",
                                      sim::process_name(entry.process), what, named(posting, i),
                                      sim::process_name(owner));
        referee_.found(property, text, {entry.process, owner}, entry.moment);
      };
      // Among readers, what one has written over, or counts in, stands for the other, too.
      const auto maker = sim::maker_of(owner);
      if (sim::has_maker(change.taken, maker) &&
          (!sim::has_maker(change.overwritten, maker) || held(i, owner, true)))
        told(Property::foreign_release, harm_to(posting, i));
      const bool rewrote = sim::has_maker(change.rewritten, maker) && held(i, owner, true);
      const bool for_all =
          sim::has_maker(operations_.lives_on_for_all(change), maker) && !held(i, owner, true);
      const bool in_vain = (for_all || sim::has_maker(change.prolonged, maker)) &&
                           entry.operating == Throughout::no &&
                           !operations_.may_have_used_lock(entry);
      if (rewrote || in_vain ||
          (sim::has_maker(change.extended, maker) && !for_all &&
           (!change.by_count || (permits == 1 && held(i, owner, true)))))
        told(Property::foreign_extend, "extends the lease of the key");
    }
  }
  for (const auto& finding : operations_.take(posting))
    referee_.found(finding.property, finding.text, {finding.process}, finding.moment);
}

void Ownership::close(Connection& connection, std::uint8_t node) {
  if (!watching_) return;
  const auto ticket = sent(0, 0, node);
  const sim::Request look{"PING"};
  const auto opened = envelope_.open(connection.execute_all(envelope_.around(look)));
  const auto* executed = std::get_if<Executed>(&opened);
  const Lock lock(mutex_);
  if (!executed) return lose("the server does not take the run's last look at the keys");
  Entry entry;
  entry.process = kNobody;
  entry.node = node;
  entry.request = look;
  entry.executed = *executed;
  entry.sent = ticket.sent;
  entry.heard = ++now_;
  post(std::move(entry));
  if (ledgers_[node].has_gap()) lose("an answer of the server never came");
}

}  // namespace lockstep::live
