// Whose the parts of each lease key of a server are: the requests of a live run, executed once more
// in a keyspace of our own, in the server's order. What the server said and showed has to agree;
// where it does not, the ledger is lost, and claims nothing any more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/envelope.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/reliance.hpp"

namespace lockstep::live {

/// A moment of the run by its logical clock: one report is before or after another. 0: not yet.
using Stamp = std::uint64_t;

/// Whether something was so all the time; `unclear`: neither can be said.
enum class Throughout : std::uint8_t { no, yes, unclear };

/// A process that holds a lock.
struct Holder {
  std::uint8_t process = 0;
  std::uint8_t lock = 0;
};

/// A request that was executed, and what was known about its sender meanwhile.
struct Entry {
  std::uint8_t process = 0;
  sim::TaskId task = 0;
  std::uint8_t node = 0;  ///< that executed it
  sim::Request request;
  Executed executed;
  Stamp sent = 0, heard = 0;              ///< before it left, after its reply came
  Throughout operating = Throughout::no;  ///< its task was inside acquire() or release()
  std::vector<Holder> holders;            ///< held their locks all the time
  std::uint64_t moment = 0;               ///< of the history (Referee::moment)
};

struct KeyState {
  sim::Belongings own;            ///< who has something of it
  std::int64_t expires = kNoKey;  ///< as the server says
  bool exists() const { return expires != kNoKey; }
};
using KeyStates = std::vector<KeyState>;  ///< by lease key

/// An entry with what it did to the lease keys.
struct Posting {
  Entry entry;
  KeyStates before, after;
  std::vector<sim::PartsChange> changes;  ///< by lease key
};

/// What tells whose a text is.
struct OwnerNames {
  sim::TokensIn tokens_in = nullptr;
  sim::LeaseMap leases;                 ///< where several may hold a lock a text may name them all
  std::vector<std::int64_t> leases_ms;  ///< by process: what it asks for
};

class Ledger {
 public:
  explicit Ledger(std::vector<std::string> lease_keys,
                  sim::ServerVersion version = sim::ServerVersion::redis_7_0,
                  OwnerNames names = {});
  ~Ledger();

  /// In any order.
  void add(Entry entry);
  /// The next one in the server's order, if it has come.
  std::optional<Posting> next();

  /// The lease keys after what was posted last.
  KeyStates keys() const;
  /// Whether entries wait for one that has not come.
  bool has_gap() const { return !waiting_.empty(); }
  /// Why nothing can be said any more; empty while it can.
  const std::string& lost_because() const { return lost_because_; }
  /// Whether that is because somebody who is no client of the run uses its keys.
  bool others_write() const { return others_write_; }

 private:
  Posting post(Entry entry);
  Posting post_at_end_of_lease(const Entry& entry);
  Posting execute_again(Entry entry);
  void tell_whose(const sim::Keyspace& before, const Entry& entry);
  void refuse_unclear(const std::function<bool(const std::string&)>& is_lease) const;
  void take_before(const Executed& seen);
  void take_after(const Executed& seen, std::int64_t slack_ms);

  std::vector<std::string> lease_keys_;
  OwnerNames names_;
  struct Copy;
  std::unique_ptr<Copy> copy_;             ///< of what the server stores
  std::map<std::int64_t, Entry> waiting_;  ///< by order
  std::int64_t next_order_ = 1;
  std::string lost_because_;
  bool others_write_ = false;
};

}  // namespace lockstep::live
