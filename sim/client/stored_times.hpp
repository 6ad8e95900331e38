// Times that a node meets: in what it stores, in a request, in what it replies.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

/// A text, changed.
using TextChange = std::function<std::string(const std::string&)>;

/// The keyspace as bytes, without expiries, its values as `plain` makes them. Scores are told to it
/// with so many decimals.
std::string bare(Keyspace keyspace, const TextChange& plain, int decimals = 0);
/// The reply with its texts, and the digits of its integers, as `change` makes them.
Reply with_texts(Reply reply, const TextChange& change);

/// Beyond it, a score is no whole number for certain.
inline constexpr double kFarthestScore = 9e15;
/// What scores of sorted sets that may be Unix seconds (10^9 to 10^10) are told in: in ms, if any
/// of them has a part of a second.
enum class ScoreUnit : std::uint8_t { second, ms };
bool has_parts_of_seconds(const Keyspace& keyspace);

/// Numbers in a keyspace's values.
std::vector<std::int64_t> numbers_in(Keyspace keyspace, ScoreUnit unit);
std::set<std::int64_t> different_numbers_in(const Keyspace& keyspace, ScoreUnit unit);
/// The numbers of a reply. Absolute times are all one that lies beyond those that are compared.
std::vector<double> numbers_told(const Reply& reply);

/// A text with a time as one that is so many units later.
std::string later_by_units(const std::string& text, std::int64_t number, std::int64_t units);
/// The keyspace with this time so many units later, wherever numbers_in() finds it.
Keyspace with_moved(Keyspace keyspace, std::int64_t number, std::int64_t units, ScoreUnit unit);

/// Lengths in ms of windows of time that are numbered as one that counts these units from 1970 on
/// does: 10000 where floor(seconds / 10) is used.
using Windows = std::set<std::int64_t>;
/// The window of which this would be the number of one about now: of all that may be, the roundest.
/// 0 if there is none below kFarthestMs.
std::int64_t window_of(std::int64_t number, WallTime now);

/// What a Unix time counts, in ms (1 if it counts microseconds); 0 if the number is none of these
/// weeks.
std::int64_t unit_of_time(std::int64_t number, WallTime now, const Windows& windows = {});
/// The text with every number that may be an absolute time, or that of a window, left out.
std::string without_times(const std::string& text, WallTime now, const Windows& windows);
/// The times that a request names, with what each counts in ms.
std::map<std::int64_t, std::int64_t> times_in(const Request& request, WallTime now,
                                              const Windows& windows = {});
/// Whether a request names a time (what its client's clock showed, or something worked out from
/// it), or meets several that are stored, which it may compare.
bool meets_times(const Keyspace& keyspace, const Request& request, WallTime now,
                 const Windows& windows);

std::map<Place, WallTime> expiries(const Keyspace& keyspace);
/// The keyspace with this key, which expires, living so much longer.
Keyspace with_longer(Keyspace keyspace, const Place& place, std::int64_t by_ms);

}  // namespace lockstep::sim
