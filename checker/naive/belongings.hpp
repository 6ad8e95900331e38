// Whose the parts of one key are, and what a request did to them: "Parts" of docs/semantics.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/keyspace/expiry.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

/// The parts of a key, and the shares in it. No key: nothing.
class Belongings {
 public:
  explicit Belongings(const sim::Entry* entry);

  /// Everybody who has a part or a share; not nobody.
  std::set<sim::Maker> owners() const;
  bool has_part(sim::Maker maker) const;
  bool has_named_part(sim::Maker maker) const;  ///< whose name bears a token of the maker
  bool has_share(sim::Maker maker) const;
  bool has_anything(sim::Maker maker) const { return has_part(maker) || has_share(maker); }
  /// All that there is in the key is this maker's.
  bool all_of(sim::Maker maker) const;
  bool is_hash() const { return hash_; }
  bool is_string() const { return string_; }
  bool is_number() const { return is_number_; }  ///< a string that is a whole number
  /// Something that is no string without lock token: that may stand for all who share a lock.
  bool has_surely(sim::Maker maker) const {
    return has_share(maker) || (has_part(maker) && !common_);
  }
  bool is_common() const { return common_; }
  /// Somebody but this maker has a share.
  bool others_share(sim::Maker maker) const;

  // What a request of `sender` that left `after` did.
  bool made(const Belongings& after, sim::Maker sender) const;
  bool marked(const Belongings& after, sim::Maker sender) const;  ///< with another token of its own
  bool replaced(const Belongings& after, sim::Maker sender) const;  ///< and none that it bore
  /// `owner` has a part that it had not.
  bool gave(const Belongings& after, sim::Maker owner) const;
  bool freed(const Belongings& after, sim::Maker sender) const;
  bool freed_of_share(const Belongings& after, sim::Maker sender) const;
  bool took_from(const Belongings& after, sim::Maker sender, sim::Maker owner) const;
  /// Of what was taken: for each part there is another one of that name, which is somebody's, and
  /// has no token of the sender's in its text.
  bool only_wrote_over(const Belongings& after, sim::Maker sender, sim::Maker owner) const;

 private:
  using Place = std::pair<sim::Maker, std::string>;  ///< and the name of the part
  void add(const std::string& name, sim::Maker maker);
  void add_number(const std::string& name, const std::string& value, sim::Maker maker,
                  const sim::Shares& shares);
  std::int64_t share(const Place& place) const;
  int parts_named(const std::string& name) const;  ///< that are somebody's
  bool had_already(const Belongings& after, const std::string& name) const;
  bool took_share(const Belongings& after, sim::Maker sender, sim::Maker owner) const;

  const sim::Entry* entry_;
  std::map<Place, int> parts_;  ///< how often
  std::map<Place, std::int64_t> shares_;
  std::map<Place, std::set<std::uint16_t>> tokens_;  ///< of its maker, in a text
  bool hash_ = false, string_ = false, is_number_ = false, common_ = false;
};

/// Until when `maker`, who has something of the key, relies on it; nothing: for ever.
std::optional<sim::Expiry> relies_until(const sim::Entry& key, sim::Maker maker);

/// The databases of a keyspace, as it is after a request, that are more than anybody's notes.
std::set<int> databases_of(const sim::Keyspace& keyspace);

}  // namespace lockstep::checker::naive
