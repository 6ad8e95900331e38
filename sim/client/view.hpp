// What an invariant is shown of the world: plain values (tables, strings, numbers, yes and no) as
// bytes, so that they can be kept and compared without a Lua state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// Writes one value after the other. A table is what stands between begin() and end(): keys and
/// values in turn.
class ViewWriter {
 public:
  void begin() { bytes_ += '{'; }
  void end() { bytes_ += '}'; }
  void yes_or_no(bool yes) { bytes_ += yes ? 't' : 'f'; }
  void whole(std::int64_t number) { scalar('i', std::to_string(number)); }
  void broken(double number);
  void text(std::string_view text) { scalar('s', text); }
  /// What another writer wrote.
  void written(std::string_view bytes) { bytes_ += bytes; }
  std::string take() { return std::move(bytes_); }

 private:
  void scalar(char kind, std::string_view text) {
    bytes_ += kind;
    bytes_ += std::to_string(text.size());
    bytes_ += ':';
    bytes_ += text;
  }

  std::string bytes_;
};

/// The same values in a row, with other numbers, also those of three digits and more in texts, and
/// with other ones for each of `whose`: but
/// for the places in a list.
std::string with_other_numbers(std::string_view values, unsigned whose);

}  // namespace lockstep::sim
