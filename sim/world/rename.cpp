// Canonical names for lock tokens: in every world the tokens of a process are numbered 1, 2, ... in
// order of their first appearance, so that worlds that differ only in which random value a token
// has are one state. Exact because tokens are only ever compared.
#include <algorithm>

#include "sim/world/world.hpp"

namespace lockstep::sim {

namespace {

/// A renaming of one process's tokens: new number of token i in the i-th hexadecimal digit.
std::function<Token(Token)> as_function(std::uint8_t whose, std::uint64_t renaming) {
  return [=](Token token) {
    if (token.process != whose || token.number == 0) return token;
    return Token{whose, static_cast<std::uint8_t>(renaming >> (4 * token.number) & 0xF)};
  };
}

bool mentions(const std::vector<Token>& tokens, std::uint8_t whose) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](Token token) { return token.process == whose; });
}

std::string renamed(std::string_view text, const std::function<Token(Token)>& renaming) {
  return rename_tokens(text, renaming);
}

}  // namespace

void World::make_canonical(Id* state) {
  if (!knowledge_.recycles_tokens) return;
  std::array<std::uint64_t, 8> renaming{};  // by process
  std::array<std::uint8_t, 8> count{};
  std::uint8_t differ = 0;  // processes whose tokens must be renamed, as bits
  const auto look_at = [&](const std::vector<Token>& tokens) {
    for (const Token token : tokens) {
      const unsigned digit = 4U * token.number;
      if ((renaming[token.process] >> digit & 0xF) != 0) continue;
      const std::uint8_t number = ++count[token.process];
      renaming[token.process] |= static_cast<std::uint64_t>(number) << digit;
      if (number != token.number) differ |= static_cast<std::uint8_t>(1U << token.process);
    }
  };
  for (unsigned p = 0; p < processes_; ++p) look_at(process_infos_[state[p]].tokens);
  for (unsigned n = 0; n < nodes_; ++n) look_at(node_infos_[state[processes_ + n]].tokens);
  for (std::uint8_t whose = 0; differ != 0; ++whose, differ >>= 1) {
    if ((differ & 1) == 0) continue;
    for (unsigned p = 0; p < processes_; ++p)
      state[p] = renamed_process(state[p], whose, renaming[whose]);
    for (unsigned n = 0; n < nodes_; ++n)
      state[processes_ + n] = renamed_node(state[processes_ + n], whose, renaming[whose]);
  }
}

Id World::renamed_process(Id id, std::uint8_t whose, std::uint64_t renaming) {
  if (!mentions(process_infos_[id].tokens, whose)) return id;
  return rename_process_.find_or_add(static_cast<std::uint64_t>(id) << 8 | whose, renaming, [&] {
    const auto rename = as_function(whose, renaming);
    Process process = process_infos_[id].value;
    if (process.life != Life::dead) process.program = automaton_.rename(process.program, rename);
    for (auto& connection : process.connections) {
      for (auto& message : connection.messages) {
        message.request = intern_request(rename_tokens(requests_[message.request], rename));
        if (message.stage == Stage::answered)
          message.reply = intern_reply(rename_tokens(replies_[message.reply], rename));
      }
    }
    for (auto& operation : process.operations) {
      for (Id& request : operation.answered)
        request = intern_request(rename_tokens(requests_[request], rename));
      std::sort(operation.answered.begin(), operation.answered.end());
    }
    return intern(process);
  });
}

Id World::renamed_node(Id id, std::uint8_t whose, std::uint64_t renaming) {
  if (!mentions(node_infos_[id].tokens, whose)) return id;
  return rename_node_.find_or_add(static_cast<std::uint64_t>(id) << 8 | whose, renaming, [&] {
    Node node = node_infos_[id].value;
    node.keyspace = renamed_keyspace(node.keyspace, whose, renaming);
    for (auto& image : node.images)
      image.keyspace = renamed_keyspace(image.keyspace, whose, renaming);
    return intern(node);
  });
}

Id World::renamed_keyspace(Id id, std::uint8_t whose, std::uint64_t renaming) {
  if (!mentions(keyspaces_[id].tokens, whose)) return id;
  return rename_keyspace_.find_or_add(static_cast<std::uint64_t>(id) << 8 | whose, renaming, [&] {
    const auto rename = as_function(whose, renaming);
    const auto rename_keys = [&rename](const Keys& keys) {
      Keys changed;
      for (const auto& [name, entry] : keys) {
        changed.emplace(renamed(name, rename), with_texts(entry, [&rename](std::string_view text) {
                          return renamed(text, rename);
                        }));
      }
      return changed;
    };
    Keyspace keyspace = keyspaces_[id].value;
    keyspace.keys = rename_keys(keyspace.keys);
    for (auto& [number, other] : keyspace.others) other = rename_keys(other);
    return intern(keyspace);
  });
}

}  // namespace lockstep::sim
