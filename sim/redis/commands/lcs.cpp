// LCS: the longest common subsequence of two strings (Redis 7.0 t_string.c).
#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

struct LcsOptions {
  bool length = false, indexes = false, lengths = false;
  std::int64_t shortest = 0;
};

LcsOptions lcs_options(const Request& argv) {
  LcsOptions o;
  for (std::size_t i = 3; i < argv.size(); ++i) {
    if (is_word(argv[i], "idx")) {
      o.indexes = true;
    } else if (is_word(argv[i], "len")) {
      o.length = true;
    } else if (is_word(argv[i], "withmatchlen")) {
      o.lengths = true;
    } else if (is_word(argv[i], "minmatchlen") && i + 1 < argv.size()) {
      o.shortest = integer_argument(argv[++i]);
    } else {
      refuse_syntax();
    }
  }
  if (o.indexes && o.length) {
    refuse("ERR If you want both the length and indexes, please just use IDX.");
  }
  return o;
}

/// Lengths of the longest common subsequences of all pairs of prefixes.
class Lengths {
 public:
  Lengths(const std::string& a, const std::string& b) : width_(b.size() + 1) {
    constexpr std::size_t kMost = 100'000'000;
    if ((a.size() + 1) > kMost / width_) throw BadInput("LCS: these strings are too long");
    cells_.resize((a.size() + 1) * width_);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        cells_[i * width_ + j] =
            a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1 : std::max(at(i - 1, j), at(i, j - 1));
      }
    }
  }
  std::uint32_t at(std::size_t i, std::size_t j) const { return cells_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> cells_;
};

/// A piece that both have in one: from `a` and from `b` on, `size` bytes.
struct Match {
  std::size_t a = 0, b = 0, size = 0;
};

/// The pieces of one longest common subsequence, the last one first.
std::vector<Match> matches(const std::string& a, const std::string& b, const Lengths& lengths) {
  std::vector<Match> found;
  std::size_t i = a.size(), j = b.size();
  bool open = false;  // whether the last piece goes on
  while (i > 0 && j > 0) {
    if (a[i - 1] != b[j - 1]) {
      --(lengths.at(i - 1, j) > lengths.at(i, j - 1) ? i : j);
      open = false;
      continue;
    }
    --i;
    --j;
    if (!open) found.push_back({i, j, 0});
    open = true;
    found.back() = {i, j, found.back().size + 1};
  }
  return found;
}

Reply range_reply(std::size_t first, std::size_t size) {
  return Reply::array({Reply::count(first), Reply::count(first + size - 1)});
}

Reply index_reply(const std::vector<Match>& found, const LcsOptions& o, std::size_t length) {
  std::vector<Reply> pieces;
  for (const Match& match : found) {
    if (static_cast<std::int64_t>(match.size) < o.shortest) continue;
    std::vector<Reply> piece{range_reply(match.a, match.size), range_reply(match.b, match.size)};
    if (o.lengths) piece.push_back(Reply::count(match.size));
    pieces.push_back(Reply::array(std::move(piece)));
  }
  return Reply::array({Reply::bulk("matches"), Reply::array(std::move(pieces)), Reply::bulk("len"),
                       Reply::count(length)});
}

const std::string& text_of(const Entry* entry) {
  static const std::string empty;
  if (!entry) return empty;
  const auto* text = std::get_if<std::string>(&entry->value);
  if (!text) refuse("ERR The specified keys must contain string values");
  return *text;
}

Reply run_lcs(Call& call) {
  const Entry* first = call.read(call.argv[1]);
  const Entry* second = call.read(call.argv[2]);
  const std::string& a = text_of(first);
  const std::string& b = text_of(second);
  const LcsOptions options = lcs_options(call.argv);
  call.execution.looked_at_bytes = true;
  const Lengths lengths(a, b);
  const std::size_t length = lengths.at(a.size(), b.size());
  if (options.length) return Reply::count(length);
  auto found = matches(a, b, lengths);
  if (options.indexes) return index_reply(found, options, length);
  std::string common;
  std::ranges::reverse(found);
  for (const Match& match : found) common += a.substr(match.a, match.size);
  return Reply::bulk(std::move(common));
}

constexpr Command kLcsRows[] = {
    {{"lcs", -3, kReadOnly, "string", {{"RO access", 1, 1}}},
     run_lcs,
     {.resp3 = {Resp3Type::map, 3, "idx"}}},
};

}  // namespace

std::span<const Command> lcs_commands() { return kLcsRows; }

}  // namespace lockstep::sim
