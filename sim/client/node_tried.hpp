// What comes of a request that is executed at another time: for node_clocks.cpp and its parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/base/bytes.hpp"
#include "sim/client/node_clocks.hpp"
#include "sim/client/reply_times.hpp"
#include "sim/client/stored_times.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::sim {

struct NodeClocks::Tried {
  const Windows& windows;
  ScoreUnit score_unit;
  WallTime now, clock;  ///< what it shows, and showed here
  Keyspace keyspace;
  Reply reply;
  std::vector<Compared> compared;
  bool ran = true;  ///< false: at that time it cannot be run

  /// By how much the sides of its comparisons differ; and those of the reply.
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const Compared& each : compared) all.push_back(each.left - each.right);
    const std::vector<double> told = numbers_told(reply);
    all.insert(all.end(), told.begin(), told.end());
    return all;
  }

  /// Whatever whole numbers it stores (in names of keys and as their expiries, too), answers and
  /// compares.
  std::set<std::int64_t> all_numbers() const {
    std::set<std::int64_t> all = different_numbers_in(keyspace, score_unit);
    std::vector<std::int64_t> named;
    keyspace.for_each([&](const std::string& key, const Entry& entry) {
      add_numbers(key, named);
      if (entry.expires) named.push_back(entry.expires->ms);
    });
    all.insert(named.begin(), named.end());
    const auto add = [&](double number) {
      if (std::abs(number) < static_cast<double>(kFirstMicros))
        all.insert(static_cast<std::int64_t>(number));
    };
    for (const Compared& each : compared) {
      add(each.left);
      add(each.right);
    }
    std::vector<std::int64_t> told;
    add_numbers_of(reply, told);
    all.insert(told.begin(), told.end());
    return all;
  }

  bool hangs_on_rounding() const {
    return std::ranges::any_of(compared, [](const Compared& each) {
      return sim::hangs_on_rounding(each.left, each.right);
    });
  }

  std::string shown(const View& view) const {
    if (!view.number || !ran) return shown(view.what);
    std::string text = "ran";
    for (const double told : numbers_told(reply))
      text += relation(told, static_cast<double>(*view.number)) == '<' ? '-' : '+';
    return text;
  }

  std::string shown(Shown what) const {
    if (!ran) return "";
    std::string text = "ran";
    for (const Compared& each : compared) text += each.outcome;
    if (what == Shown::comparisons) return text;
    const TextChange plain = [&](const std::string& told) {
      if (what != Shown::values) return without_numbers(told);
      return without_times(without_times(told, now, windows), clock, windows);
    };
    ByteWriter out;
    write(out, with_texts(reply, plain));
    return text + out.take() + bare(keyspace, plain);
  }
};

}  // namespace lockstep::sim
