// What lasts in a picture: leases, critical sections, pauses, outages; and what clients believe.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "cli/picture_parts.hpp"
#include "sim/base/token.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::cli {

namespace {

using checker::StepData;
using sim::Action;
using sim::Effect;
using Bar = Picture::Bar;
using Moment = Picture::Moment;
using Owners = std::set<std::uint8_t>;

void add_owners(Owners& owners, const std::string& bytes) {
  for (const sim::Token token : sim::scan_tokens(bytes).tokens) owners.insert(token.process);
}

/// Whose tokens are in a value.
Owners owners_of(const sim::VisibleValue& value) {
  Owners owners;
  if (const auto* text = std::get_if<std::string>(&value)) add_owners(owners, *text);
  if (const auto* list = std::get_if<sim::VisibleList>(&value))
    for (const auto& item : *list) add_owners(owners, item);
  if (const auto* set = std::get_if<sim::VisibleSet>(&value))
    for (const auto& item : *set) add_owners(owners, item);
  if (const auto* sorted = std::get_if<sim::VisibleSortedSet>(&value))
    for (const auto& [member, score] : *sorted) add_owners(owners, member);
  if (const auto* hash = std::get_if<sim::VisibleHash>(&value))
    for (const auto& [field, content] : *hash) {
      add_owners(owners, field);
      add_owners(owners, content);
    }
  return owners;
}

std::optional<std::uint8_t> only_one(const Owners& owners) {
  return owners.size() == 1 ? std::optional(*owners.begin()) : std::nullopt;
}

class Bars {
 public:
  Bars(Picture& picture, const sim::Model& model)
      : picture_(picture),
        model_(model),
        servers_(sim::servers_of(model)),
        before_(servers_.count()),
        life_(model.processes.size()) {
    for (std::uint8_t group = 0; group < servers_.nodes; ++group) masters_.push_back(group);
    for (const auto& setup : model.processes)
      for (const auto& lock : setup.lock_keys)
        for (const auto& key : model.program->lease_keys(lock))
          if (std::ranges::find(leases_, key) == leases_.end()) leases_.push_back(key);
  }

  void step(std::size_t row, const StepData& data) {
    row_ = row;
    time_ms_ = data.time_ms;
    passed_ms_ = picture_.rows[row].passed_ms;
    if (data.action.kind == Action::Kind::failover) replace_master(data.action.node);
    follow_leases(data);
    follow_sections(data);
    follow_faults(data.action);
    cover(data);
    believe(data);
    before_ = data.keys;
  }

 private:
  struct Life {
    Picture::Belief::Life life = Picture::Belief::Life::up;
    std::int64_t since_ms = 0;
  };
  /// A critical section: by process, task and lock.
  using Section = std::tuple<std::uint8_t, sim::TaskId, std::uint8_t>;

  std::size_t open(Bar bar) {
    picture_.bars.push_back(std::move(bar));
    return picture_.bars.size() - 1;
  }

  void close(std::size_t bar, Moment at) { picture_.bars[bar].to = at; }

  Moment now() const { return {row_, 0}; }

  /// When a key has gone that was there before the step: by time, that is when it was to expire.
  Moment end_of(const sim::VisibleKey& was) const {
    if (passed_ms_ == 0 || !was.left_ms) return now();
    return {row_, std::clamp<std::int64_t>(passed_ms_ - *was.left_ms, 0, passed_ms_)};
  }

  // ---- leases ----------------------------------------------------------------------------------

  void follow_leases(const StepData& data) {
    for (std::uint8_t server = 0; server < data.keys.size(); ++server)
      for (std::size_t slot = 0; slot < leases_.size(); ++slot) {
        const auto was = before_[server].find(leases_[slot]);
        const auto is = data.keys[server].find(leases_[slot]);
        const bool gone = was != before_[server].end() && is == data.keys[server].end();
        if (gone) end_lease(server, slot, was->second);
        if (is != data.keys[server].end()) keep_lease(server, slot, is->second, data);
      }
  }

  void end_lease(std::uint8_t server, std::size_t slot, const sim::VisibleKey& was) {
    const auto found = open_leases_.find({server, slot});
    if (found == open_leases_.end()) return;
    close(found->second, end_of(was));
    picture_.bars[found->second].timed_out = passed_ms_ > 0;
    open_leases_.erase(found);
  }

  /// A new bar where the key is new, or somebody else's now.
  void keep_lease(std::uint8_t server, std::size_t slot, const sim::VisibleKey& key,
                  const StepData& data) {
    const auto owners = owners_of(key.value);
    auto owner = only_one(owners);
    const auto found = open_leases_.find({server, slot});
    if (found != open_leases_.end()) {
      auto& bar = picture_.bars[found->second];
      if (owners.empty() || bar.owner == owner) return;
      close(found->second, now());
    }
    if (owners.empty() && data.action.kind == Action::Kind::execute) owner = data.action.process;
    Bar bar;
    bar.kind = Bar::Kind::lease;
    bar.lane = *picture_.lane_of_node(server);
    bar.from = now();
    bar.owner = owner;
    bar.slot = slot;
    bar.text = sim::worded_value(leases_[slot]) + " = " + sim::worded(key.value);
    open_leases_[{server, slot}] = open(std::move(bar));
  }

  // ---- critical sections -----------------------------------------------------------------------

  void begin_section(const Section& section, bool bare, Moment at) {
    const auto& [process, task, lock] = section;
    const auto lane = picture_.lane_of(process, task);
    if (!lane) return;
    Bar bar;
    bar.kind = bare ? Bar::Kind::bare : Bar::Kind::section;
    bar.lane = *lane;
    bar.from = at;
    bar.owner = process;
    bar.text = sim::lock_name(model_, process, lock);
    sections_[section] = open(std::move(bar));
  }

  template <class Ends>
  void end_sections(const Ends& ends) {
    std::erase_if(sections_, [&](const auto& section_and_bar) {
      if (!ends(section_and_bar.first)) return false;
      close(section_and_bar.second, now());
      return true;
    });
  }

  void follow_sections(const StepData& data) {
    const auto process = data.action.process;
    for (const Effect& effect : data.effects) {
      const Section section{process, effect.task, effect.lock};
      const auto same = [&](const Section& each) { return each == section; };
      switch (effect.kind) {
        case Effect::Kind::acquired:
          end_sections(same);
          begin_section(section, false, now());
          break;
        case Effect::Kind::releasing:
        case Effect::Kind::lost:
          end_sections(same);
          break;
        case Effect::Kind::failed:
          end_sections([&](const Section& each) {
            return std::get<0>(each) == process && std::get<1>(each) == effect.task;
          });
          break;
        case Effect::Kind::exited:
          follow_end(process);
          break;
        default:
          break;
      }
    }
  }

  /// Whether a key is there that may be a client's own: its name is on it, or nobody's.
  static bool counts_for(std::uint8_t process, const sim::VisibleKeys& keys,
                         const std::string& name) {
    const auto key = keys.find(name);
    if (key == keys.end()) return false;
    const auto owners = owners_of(key->second.value);
    return owners.empty() || owners.contains(process);
  }

  /// On how many servers that count a client has a lease of a lock.
  int leases_of(std::uint8_t process, std::uint8_t lock,
                const std::vector<sim::VisibleKeys>& keys) const {
    std::set<std::uint8_t> groups;
    for (std::uint8_t server = 0; server < keys.size(); ++server) {
      const auto group = servers_.group_of(server);
      if (servers_.spare == 0 && masters_[group] != server) continue;
      for (const auto& name :
           model_.program->lease_keys(model_.processes[process].lock_keys[lock])) {
        if (counts_for(process, keys[server], name)) groups.insert(group);
      }
    }
    return static_cast<int>(groups.size());
  }

  bool is_leased(std::uint8_t process, std::uint8_t lock,
                 const std::vector<sim::VisibleKeys>& keys) const {
    return leases_of(process, lock, keys) >=
           model_.program->quorum(model_.processes[process].nodes);
  }

  /// Whether its name is on a lease on some server, be it no master any more.
  bool has_name_on(std::uint8_t process, std::uint8_t lock,
                   const std::vector<sim::VisibleKeys>& keys) const {
    const auto names = model_.program->lease_keys(model_.processes[process].lock_keys[lock]);
    return std::ranges::any_of(keys, [&](const sim::VisibleKeys& server) {
      return std::ranges::any_of(names, [&](const std::string& name) {
        const auto key = server.find(name);
        return key != server.end() && owners_of(key->second.value).contains(process);
      });
    });
  }

  void note_leases(const std::vector<sim::VisibleKeys>& keys) {
    for (std::uint8_t process = 0; process < model_.processes.size(); ++process)
      for (std::uint8_t lock = 0; lock < model_.processes[process].lock_keys.size(); ++lock)
        if (has_name_on(process, lock, keys)) leased_.insert({process, lock});
    for (const auto& [section, bar] : sections_) {
      const auto& [process, task, lock] = section;
      if (is_leased(process, lock, keys)) leased_.insert({process, lock});
    }
  }

  /// When the lease of a section ended that it still had before this step.
  Moment lease_end(std::uint8_t process, std::uint8_t lock) const {
    if (passed_ms_ == 0) return now();
    auto keys = before_;
    std::vector<std::int64_t> times;
    for (const auto& server : keys)
      for (const auto& [name, key] : server)
        if (key.left_ms && *key.left_ms <= passed_ms_) times.push_back(*key.left_ms);
    std::ranges::sort(times);
    for (const std::int64_t left_ms : times) {
      for (auto& server : keys)
        std::erase_if(server, [&](const auto& name_and_key) {
          return name_and_key.second.left_ms && *name_and_key.second.left_ms <= left_ms;
        });
      if (!is_leased(process, lock, keys)) return {row_, passed_ms_ - left_ms};
    }
    return now();
  }

  /// Whether each section has its lease still; where that changes, another bar begins.
  void cover(const StepData& data) {
    note_leases(data.keys);
    const auto sections = sections_;  // which change on the way
    for (const auto& [section, bar] : sections) {
      const auto [process, task, lock] = section;
      const bool bare = leased_.contains({process, lock}) && !is_leased(process, lock, data.keys);
      if (bare == (picture_.bars[bar].kind == Bar::Kind::bare)) continue;
      const bool from_the_start = picture_.bars[bar].from.row == row_;
      const auto at = bare && !from_the_start ? lease_end(process, lock) : now();
      close(bar, at);
      begin_section(section, bare, at);
    }
  }

  // ---- what befalls clients and servers --------------------------------------------------------

  /// What lasts of one kind, of a client or a server, and to which server.
  using Plight = std::tuple<Bar::Kind, bool, std::uint8_t, std::uint8_t>;

  void begin_plight(const Plight& plight, const std::string& text) {
    const auto [kind, of_client, number, other] = plight;
    for (std::size_t lane = 0; lane < picture_.lanes.size(); ++lane) {
      const auto& of = picture_.lanes[lane];
      if ((of.kind == Picture::Lane::Kind::client) != of_client || of.number != number) continue;
      Bar bar;
      bar.kind = kind;
      bar.lane = lane;
      bar.from = now();
      bar.text = text;
      plights_[plight].push_back(open(std::move(bar)));
    }
  }

  void end_plight(const Plight& plight) {
    for (const std::size_t bar : plights_[plight]) close(bar, now());
    plights_[plight].clear();
  }

  void follow_faults(const Action& action) {
    follow_client(action);
    follow_node(action);
    const std::string server = sim::server_name(action.node, servers_.count());
    const Plight cut{Bar::Kind::cut, true, action.process, action.node};
    if (action.kind == Action::Kind::cut) begin_plight(cut, "cut off from " + server);
    if (action.kind == Action::Kind::cut_requests) begin_plight(cut, "cannot reach " + server);
    if (action.kind == Action::Kind::cut_replies) begin_plight(cut, "does not hear " + server);
    if (action.kind == Action::Kind::heal || action.kind == Action::Kind::heal_late)
      end_plight(cut);
  }

  void follow_end(std::uint8_t process) {
    life_[process] = {Picture::Belief::Life::crashed, time_ms_};
    end_sections([&](const Section& each) { return std::get<0>(each) == process; });
    begin_plight({Bar::Kind::dead, true, process, 0}, "ended");
  }

  void follow_client(const Action& action) {
    using Of = Picture::Belief::Life;
    const auto process = action.process;
    const Plight paused{Bar::Kind::paused, true, process, 0},
        dead{Bar::Kind::dead, true, process, 0};
    switch (action.kind) {
      case Action::Kind::pause:
      case Action::Kind::pause_within:
        life_[process] = {Of::paused, time_ms_};
        return begin_plight(paused, "paused");
      case Action::Kind::resume:
        life_[process] = {};
        return end_plight(paused);
      case Action::Kind::crash:
      case Action::Kind::crash_within:
      case Action::Kind::crash_begin:
        life_[process] = {Of::crashed, time_ms_};
        end_plight(paused);
        end_sections([&](const Section& each) { return std::get<0>(each) == process; });
        return begin_plight(dead, "crashed");
      case Action::Kind::begin:
        life_[process] = {};
        return end_plight(dead);
      default:
        return;
    }
  }

  void follow_node(const Action& action) {
    const Plight down{Bar::Kind::dead, false, action.node, 0};
    const Plight lag{Bar::Kind::hindered, false, action.node, 0};
    const Plight full{Bar::Kind::hindered, false, action.node, 1};
    const Plight frozen{Bar::Kind::hindered, false, action.node, 2};
    const Plight replaced{Bar::Kind::hindered, false, action.node, 3};
    switch (action.kind) {
      case Action::Kind::node_crash:
      case Action::Kind::power_loss:
        end_plight(full);
        return begin_plight(down, "down");
      case Action::Kind::node_load:
        end_plight(down);
        return begin_plight(full, "loading");
      case Action::Kind::receive:
        return begin_plight(full, "loading");
      case Action::Kind::loaded:
        return end_plight(full);
      case Action::Kind::node_restart:
        return end_plight(down);
      case Action::Kind::lag:
        return begin_plight(lag, "lags");
      case Action::Kind::catch_up:
        end_plight(full);  // it has been loading
        return end_plight(lag);
      case Action::Kind::failover:
        return end_plight(lag);
      case Action::Kind::follow:
        end_plight(full);
        end_plight(lag);
        return end_plight(replaced);
      case Action::Kind::oom:
        return begin_plight(full, "full");
      case Action::Kind::relief:
        return end_plight(full);
      case Action::Kind::freeze:
        return begin_plight(frozen, "clock stands still");
      default:
        return;
    }
  }

  void replace_master(std::uint8_t replica) {
    auto& master = masters_[servers_.group_of(replica)];
    begin_plight({Bar::Kind::hindered, false, master, 3}, "not the master any more");
    master = replica;
  }

  // ---- beliefs ---------------------------------------------------------------------------------

  void believe(const StepData& data) {
    for (std::uint8_t process = 0; process < model_.processes.size(); ++process) {
      if (!picture_.lane_of(process, 0)) continue;
      Picture::Belief belief;
      belief.process = process;
      belief.life = life_[process].life;
      belief.since_ms = life_[process].since_ms;
      for (const auto& [section, bar] : sections_)
        if (std::get<0>(section) == process) belief.inside = true;
      for (std::uint8_t lock = 0; lock < model_.processes[process].lock_keys.size(); ++lock) {
        if (has_own(process, lock, data.keys)) belief.leased = true;
        if (has_name_on(process, lock, data.keys)) belief.named = true;
      }
      picture_.rows[row_].beliefs.push_back(belief);
    }
  }

  /// A key without a name on it is its own where it believes that it holds the lock.
  bool has_own(std::uint8_t process, std::uint8_t lock,
               const std::vector<sim::VisibleKeys>& keys) const {
    if (!is_leased(process, lock, keys)) return false;
    for (const auto& [section, bar] : sections_)
      if (std::get<0>(section) == process && std::get<2>(section) == lock) return true;
    return has_name_on(process, lock, keys);
  }

  Picture& picture_;
  const sim::Model& model_;
  sim::Servers servers_;
  std::vector<sim::VisibleKeys> before_;
  std::vector<Life> life_;
  std::vector<std::uint8_t> masters_;  ///< by group
  std::vector<std::string> leases_;    ///< names of lease keys
  std::size_t row_ = 0;
  std::int64_t time_ms_ = 0, passed_ms_ = 0;
  std::map<std::pair<std::uint8_t, std::size_t>, std::size_t> open_leases_;  ///< by server and slot
  /// Who has had a lease of which lock. A lock may also be a key that is not there: of no section
  /// of such a one is it said that it has no lease.
  std::set<std::pair<std::uint8_t, std::uint8_t>> leased_;
  std::map<Section, std::size_t> sections_;  ///< their bars
  std::map<Plight, std::vector<std::size_t>> plights_;
};

}  // namespace

void draw_bars(Picture& picture, const sim::Model& model, const checker::Trace& trace) {
  Bars bars(picture, model);
  for (std::size_t row = 0; row < trace.steps.size(); ++row) bars.step(row, trace.steps[row].data);
}

}  // namespace lockstep::cli
