// Any bytes as a pattern, and after the first zero byte a key: the matcher agrees with the slow one
// below, which tries everything, and so do KEYS and SCAN.
#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace lockstep::fuzz {

namespace {

/// What a pattern asks for at one place: any bytes, or one of some.
struct Piece {
  bool star = false;
  std::vector<bool> takes = std::vector<bool>(256, false);
};

std::size_t byte(char c) { return static_cast<unsigned char>(c); }

/// The class whose '[' is at `at`; moves behind it.
Piece class_at(std::string_view pattern, std::size_t& at) {
  Piece piece;
  const bool negated = ++at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  for (; at < pattern.size() && pattern[at] != ']'; ++at) {
    const std::size_t left = pattern.size() - at;
    if (pattern[at] == '\\' && left > 1) {
      piece.takes.at(byte(pattern[++at])) = true;
    } else if (left > 2 && pattern[at + 1] == '-') {
      const auto [low, high] = std::minmax({byte(pattern[at]), byte(pattern[at + 2])});
      for (auto c = low; c <= high; ++c) piece.takes.at(c) = true;
      at += 2;
    } else {
      piece.takes.at(byte(pattern[at])) = true;
    }
  }
  if (negated) piece.takes.flip();
  return piece;
}

std::vector<Piece> pieces_of(std::string_view pattern) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    Piece piece;
    if (pattern[at] == '[') {
      piece = class_at(pattern, at);
    } else if (pattern[at] == '*') {
      piece.star = true;
    } else if (pattern[at] == '?') {
      piece.takes.flip();
    } else {
      if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
      piece.takes.at(byte(pattern[at])) = true;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

/// By every split: whether the first pieces take the first bytes, a row of bytes for each piece.
bool slow_matches(std::string_view pattern, std::string_view text) {
  std::vector<bool> row(text.size() + 1, false);
  row[0] = true;
  for (const auto& piece : pieces_of(pattern)) {
    std::vector<bool> next(row.size(), false);
    for (std::size_t i = 0; i < row.size(); ++i)
      next[i] = piece.star ? row[i] || (i > 0 && next[i - 1])
                           : i > 0 && row[i - 1] && piece.takes[byte(text[i - 1])];
    row = next;
  }
  return row.back();
}

}  // namespace

}  // namespace lockstep::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(bytes.find('\0'), size);
  const auto pattern = bytes.substr(0, end);
  const auto key = end < size ? bytes.substr(end + 1) : "";
  const bool matches = sim::glob_matches(pattern, key);
  LOCKSTEP_CHECK(matches == fuzz::slow_matches(pattern, key));

  static sim::ScriptVm vm;
  sim::Keyspace keyspace;
  sim::Execution execution{sim::kEpoch, 1, &vm};
  execute(keyspace, {"SET", key, "1"}, execution);
  const auto named = execute(keyspace, {"KEYS", pattern}, execution);
  LOCKSTEP_CHECK(named.items.size() == (matches ? 1 : 0));
  const auto scanned = execute(keyspace, {"SCAN", "0", "MATCH", pattern}, execution);
  LOCKSTEP_CHECK(scanned.items.at(1) == named);
  return 0;
}
