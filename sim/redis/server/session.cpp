// A session as a value: its watches, its texts, and the canonical bytes under which equal sessions
// are interned.
#include "sim/redis/server/session.hpp"

#include "sim/base/bytes.hpp"

namespace lockstep::sim {

namespace {

using Change = std::function<std::string(std::string_view)>;

void put(ByteWriter& out, const Place& place) {
  out.number(place.database);
  out.text(place.key);
}

void put(ByteWriter& out, const std::string& text) { out.text(text); }

void put(ByteWriter& out, const std::pair<const Place, bool>& watch) {
  put(out, watch.first);
  out.number(watch.second ? 1 : 0);
}

void put(ByteWriter& out, const Request& request);

template <class Items>
void put_all(ByteWriter& out, const Items& items) {
  out.number(static_cast<std::int64_t>(items.size()));
  for (const auto& item : items) put(out, item);
}

void put(ByteWriter& out, const Request& request) { put_all(out, request); }

void put(ByteWriter& out, const BlockedOn& wait) {
  out.number(static_cast<int>(wait.kind));
  put_all(out, wait.places);
  put(out, wait.request);
  out.number(wait.until ? 1 : 0);
  if (wait.until) out.number(wait.until->ms);
}

void change_all(std::set<std::string>& names, const Change& change) {
  std::set<std::string> changed;
  for (const std::string& name : names) changed.insert(change(name));
  names = std::move(changed);
}

}  // namespace

bool Session::fresh() const { return *this == Session{}; }

Session Session::reconnected() const {
  Session anew;
  anew.database = database;
  return anew;
}

bool touch(Session& session, const Place& place) {
  if (!session.watched.contains(place)) return false;
  session.watch_broken = true;
  session.watched.clear();
  return true;
}

void discard_transaction(Session& session) {
  session.in_transaction = session.must_abort = session.watch_broken = false;
  session.queued.clear();
  session.watched.clear();
}

std::vector<std::string_view> texts(const Session& session) {
  std::vector<std::string_view> all;
  const auto add = [&all](const auto& items) { all.insert(all.end(), items.begin(), items.end()); };
  for (const Request& request : session.queued) add(request);
  for (const auto& [place, was_there] : session.watched) all.push_back(place.key);
  add(session.channels);
  add(session.patterns);
  add(session.shard_channels);
  add(session.tracked);
  if (session.wait) {
    for (const Place& place : session.wait->places) all.push_back(place.key);
    add(session.wait->request);
  }
  return all;
}

Session with_texts(const Session& session, const Change& change) {
  Session changed = session;
  for (Request& request : changed.queued) {
    for (std::string& word : request) word = change(word);
  }
  changed.watched.clear();
  for (const auto& [place, was_there] : session.watched) {
    changed.watched.emplace(Place{place.database, change(place.key)}, was_there);
  }
  change_all(changed.channels, change);
  change_all(changed.patterns, change);
  change_all(changed.shard_channels, change);
  change_all(changed.tracked, change);
  if (changed.wait) {
    for (Place& place : changed.wait->places) place.key = change(place.key);
    for (std::string& word : changed.wait->request) word = change(word);
  }
  return changed;
}

std::string encode(const Session& session) {
  ByteWriter out;
  out.number(session.database);
  out.number(static_cast<int>(session.replies));
  out.number((session.in_transaction ? 1 : 0) + (session.must_abort ? 2 : 0) +
             (session.watch_broken ? 4 : 0) + (session.asking ? 8 : 0));
  put_all(out, session.queued);
  put_all(out, session.watched);
  put_all(out, session.channels);
  put_all(out, session.patterns);
  put_all(out, session.shard_channels);
  put_all(out, session.tracked);
  out.number(session.wait ? 1 : 0);
  if (session.wait) put(out, *session.wait);
  return out.take();
}

}  // namespace lockstep::sim
