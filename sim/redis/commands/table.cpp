// The index of all rows: the families one after the other, and each command found by its name.
#include "sim/redis/commands/table.hpp"

#include <algorithm>
#include <array>

#include "sim/base/check.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Whether `row` is a subcommand of `container`.
bool is_of(const Command& row, const Command& container) {
  const std::size_t size = container.name.size();
  return row.name.size() > size && row.name.starts_with(container.name) && row.name[size] == '|';
}

struct Indexed {
  std::string_view name;
  const Command* row;
  std::size_t subcommands = 0;  ///< so many rows behind it
};

class Index {
 public:
  Index() {
    for (const auto family : kFamilies) {
      for (const Command& row : family()) add(row);
    }
    std::ranges::sort(commands_, {}, &Indexed::name);
    for (const Indexed& one : commands_) {
      LOCKSTEP_CHECK(one.row->has(kContainer) == (one.subcommands > 0));
      LOCKSTEP_CHECK(rows_.empty() || rows_.back()->name != one.name);
      rows_.push_back(one.row);
      longest_name_ = std::max(longest_name_, one.name.size());
    }
  }

  std::span<const Command* const> rows() const { return rows_; }

  const Indexed* find(std::string_view name) const {
    if (name.size() > longest_name_) return nullptr;
    std::array<char, 64> lower;
    std::ranges::transform(name, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const std::string_view wanted(lower.data(), name.size());
    const auto it = std::ranges::lower_bound(commands_, wanted, {}, &Indexed::name);
    return it != commands_.end() && it->name == wanted ? &*it : nullptr;
  }

 private:
  /// Subcommands follow their container, in order of name.
  void add(const Command& row) {
    if (row.name.find('|') == row.name.npos) {
      LOCKSTEP_CHECK(row.name.size() <= 64);
      commands_.push_back({row.name, &row});
      return;
    }
    LOCKSTEP_CHECK(!commands_.empty() && is_of(row, *commands_.back().row));
    LOCKSTEP_CHECK((&row)[-1].name < row.name);
    ++commands_.back().subcommands;
  }

  std::vector<Indexed> commands_;  ///< in order of name
  std::vector<const Command*> rows_;
  std::size_t longest_name_ = 0;
};

const Index& all() {
  static const Index index;
  return index;
}

}  // namespace

std::span<const KeySpec> CommandInfo::keys() const {
  const auto* none = std::ranges::find(key_specs, std::string_view(), &KeySpec::flags);
  return {std::begin(key_specs), none};
}

bool Command::is_of(std::string_view category) const { return has_word(categories, category); }

std::span<const Command* const> all_commands() { return all().rows(); }

const Command* find_command(std::string_view name) {
  const Indexed* found = all().find(name);
  return found ? found->row : nullptr;
}

const Command* find_command(const Request& request) {
  const Command* command = find_command(request[0]);
  if (!command || !command->has(kContainer) || request.size() == 1) return command;
  return find_subcommand(*command, request[1]);
}

const Command* find_command(const Request& request, ServerVersion version) {
  const Command* command = find_command(request);
  return command && command->more.servers.has(version) ? command : nullptr;
}

std::span<const Command> subcommands_of(const Command& container) {
  if (!container.has(kContainer)) return {};
  return {&container + 1, all().find(container.name)->subcommands};
}

const Command* find_subcommand(const Command& container, std::string_view name) {
  const std::size_t prefix = container.name.size() + 1;
  for (const Command& sub : subcommands_of(container)) {
    if (is_name(name, sub.name.substr(prefix))) return &sub;
  }
  return nullptr;
}

bool arity_fits(int arity, std::size_t arguments) {
  const auto count = static_cast<int>(arguments);
  return arity >= 0 ? count == arity : count >= -arity;
}

bool touches_always(const Request&, const Reply&, bool) { return true; }
bool touches_if_there(const Request&, const Reply&, bool was_there) { return was_there; }
bool touches_if_positive(const Request&, const Reply& reply, bool) {
  return reply.kind == Reply::Kind::integer && reply.integer > 0;
}
bool touches_if_not_null(const Request&, const Reply& reply, bool) {
  return reply.kind != Reply::Kind::null;
}

}  // namespace lockstep::sim
