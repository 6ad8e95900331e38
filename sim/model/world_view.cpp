// See the header.
#include "sim/model/world_view.hpp"

#include <utility>

#include "sim/base/token.hpp"
#include "sim/client/view.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::sim {

namespace {

void show(ViewWriter& out, const std::string& text) { out.text(text); }

void show(ViewWriter& out, const VisibleHash& hash) {
  out.begin();
  for (const auto& [field, value] : hash) {
    out.text(field);
    out.text(value);
  }
  out.end();
}

void show(ViewWriter& out, const VisibleList& list) {
  out.begin();
  for (std::size_t at = 0; at < list.size(); ++at) {
    out.whole(static_cast<std::int64_t>(at + 1));
    out.text(list[at]);
  }
  out.end();
}

void show(ViewWriter& out, const VisibleSet& set) {
  out.begin();
  for (const auto& member : set) {
    out.text(member);
    out.yes_or_no(true);
  }
  out.end();
}

void show(ViewWriter& out, const VisibleSortedSet& set) {
  out.begin();
  for (const auto& [member, score] : set) {
    out.text(member);
    out.broken(score);
  }
  out.end();
}

void show_list(ViewWriter& out, const char* name, const std::vector<std::string>& views) {
  out.text(name);
  out.begin();
  for (std::size_t at = 0; at < views.size(); ++at) {
    out.whole(static_cast<std::int64_t>(at + 1));
    out.written(views[at]);
  }
  out.end();
}

}  // namespace

std::string node_view(bool up, const Keyspace& keyspace) {
  ViewWriter out;
  out.begin();
  out.text("up");
  out.yes_or_no(up);
  out.text("keys");
  out.begin();
  for (const auto& [key, entry] : up ? keyspace.keys : Keys{}) {
    out.text(key);
    out.begin();
    out.text("value");
    std::visit([&](const auto& value) { show(out, value); }, visible(entry));
    out.text("expires");
    out.yes_or_no(entry.expires.has_value());
    out.end();
  }
  out.end();
  out.end();
  return out.take();
}

std::string client_view(const ClientView& client) {
  ViewWriter out;
  out.begin();
  out.text("name");
  out.text(process_name(client.process));
  out.text("life");
  out.text(client.life);
  for (const auto& [name, inside] :
       {std::pair("holds", &client.holds), std::pair("shares", &client.shares)}) {
    out.text(name);
    out.begin();
    for (const auto& [lock, threads] : *inside) {
      out.text(lock);
      out.whole(threads);
    }
    out.end();
  }
  for (const char* nothing : {"locks", "process", "threads"}) {
    if (!client.belief.empty()) break;
    out.text(nothing);
    out.begin();
    out.end();
  }
  out.written(client.belief);
  out.end();
  return out.take();
}

std::string world_view(const std::vector<std::string>& nodes,
                       const std::vector<std::string>& clients) {
  ViewWriter out;
  out.begin();
  show_list(out, "nodes", nodes);
  show_list(out, "clients", clients);
  out.end();
  return out.take();
}

}  // namespace lockstep::sim
