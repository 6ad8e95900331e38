// LZF. Which references the compressor finds, and when it gives up, follows liblzf 3.6 (lzf_c.c)
// exactly: dumps shall be the same bytes.
//
//   000nnnnn                    n + 1 literal bytes follow
//   lllooooo oooooooo           l + 2 bytes (l: 1..6) from o + 1 bytes back
//   111ooooo llllllll oooooooo  l + 9 bytes
#include "sim/keyspace/dump/lzf.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep::sim {

namespace {

constexpr std::size_t kLongestRun = 32;
constexpr std::size_t kFarthest = std::size_t{1} << 13;
constexpr std::size_t kLongestMatch = 264;
constexpr std::size_t kLongForm = 9;  // a match from which on its length has a byte of its own
constexpr std::size_t kSlots = std::size_t{1} << 16;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

class Compressor {
 public:
  Compressor(std::string_view bytes, std::size_t room) : in_(bytes), room_(room) {}

  std::optional<std::string> run() {
    while (at_ + 2 < in_.size()) {
      const std::size_t earlier = earlier_match();
      if (!(earlier == 0 ? literal() : reference(earlier))) return std::nullopt;
    }
    if (length() + 3 > room_) return std::nullopt;
    while (at_ < in_.size()) take_literal();
    end_run();
    return std::move(out_);
  }

 private:
  /// Where the three bytes at `at` were seen last, perhaps.
  std::uint32_t& slot(std::size_t at) {
    const std::uint32_t three = static_cast<std::uint32_t>(byte_at(in_, at)) << 16 |
                                static_cast<std::uint32_t>(byte_at(in_, at + 1)) << 8 |
                                byte_at(in_, at + 2);
    return slots_[((three >> 8) - three * 5) % kSlots];
  }

  /// An earlier place of the three bytes that come next; 0 if there is none.
  std::size_t earlier_match() {
    std::uint32_t& last = slot(at_);
    const std::size_t earlier = last;
    last = static_cast<std::uint32_t>(at_);
    if (earlier == 0 || at_ - earlier > kFarthest) return 0;
    return in_.substr(earlier, 3) == in_.substr(at_, 3) ? earlier : 0;
  }

  /// What is written, with the byte that is kept free for the length of the next run.
  std::size_t length() const { return out_.size() + 1 + run_.size(); }

  bool literal() {
    if (length() >= room_) return false;
    take_literal();
    return true;
  }

  void take_literal() {
    run_ += in_[at_++];
    if (run_.size() == kLongestRun) end_run();
  }

  void end_run() {
    if (run_.empty()) return;
    out_ += static_cast<char>(run_.size() - 1);
    out_ += run_;
    run_.clear();
  }

  /// How far the match goes. The last two bytes are not looked at, unless the unrolled loop of
  /// liblzf runs into them.
  std::size_t match_length(std::size_t earlier) const {
    const std::size_t limit = std::min(in_.size() - at_ - 2, kLongestMatch);
    const std::size_t most = std::max<std::size_t>(limit, limit > 16 ? 19 : 3);
    std::size_t same = 3;
    while (same < most && in_[earlier + same] == in_[at_ + same]) ++same;
    return same;
  }

  bool reference(std::size_t earlier) {
    if (length() + 4 - (run_.empty() ? 1 : 0) >= room_) return false;
    end_run();
    const std::size_t same = match_length(earlier);
    const std::size_t back = at_ - earlier - 1;
    const std::size_t shown = std::min(same, kLongForm) - 2;
    out_ += static_cast<char>(back >> 8 | shown << 5);
    if (same >= kLongForm) out_ += static_cast<char>(same - kLongForm);
    out_ += static_cast<char>(back);
    at_ += same;
    if (at_ + 2 < in_.size()) {
      for (const std::size_t at : {at_ - 2, at_ - 1}) slot(at) = static_cast<std::uint32_t>(at);
    }
    return true;
  }

  std::string_view in_;
  std::size_t room_;
  std::size_t at_ = 0;
  std::string out_;
  std::string run_;  // literal bytes that are not written yet
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kSlots);  // 0: none
};

}  // namespace

std::optional<std::string> lzf_compressed(std::string_view bytes, std::size_t room) {
  return bytes.empty() || room == 0 ? std::nullopt : Compressor(bytes, room).run();
}

std::optional<std::string> lzf_expanded(std::string_view compressed, std::size_t size) {
  std::string out;
  std::size_t at = 0;
  const auto left = [&] { return compressed.size() - at; };
  while (left() > 0) {
    const std::size_t control = byte_at(compressed, at++);
    std::size_t count = control >> 5;
    if (count == 0) {
      count = control + 1;
      if (count > left() || out.size() + count > size) return std::nullopt;
      out += compressed.substr(at, count);
      at += count;
      continue;
    }
    if (count == 7 && left() > 0) count += byte_at(compressed, at++);
    if (left() == 0) return std::nullopt;
    const std::size_t back = ((control & 0x1F) << 8 | byte_at(compressed, at++)) + 1;
    count += 2;
    if (back > out.size() || out.size() + count > size) return std::nullopt;
    for (; count > 0; --count) out += out[out.size() - back];  // it may reach into itself
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace lockstep::sim
