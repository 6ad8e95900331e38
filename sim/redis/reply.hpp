// What a node answers: a reply (RESP2), as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::sim {

/// A RESP2 reply, as a value.
struct Reply {
  enum class Kind : std::uint8_t { null, status, error, integer, bulk, array };
  Kind kind = Kind::null;
  std::int64_t integer = 0;  ///< for Kind::integer
  std::string text;          ///< for status, error (with its code, without the leading '-'), bulk
  std::vector<Reply> items;  ///< for array

  static Reply null() { return {}; }
  static Reply status(std::string s) { return {Kind::status, 0, std::move(s), {}}; }
  static Reply ok() { return status("OK"); }
  static Reply error(std::string s) { return {Kind::error, 0, std::move(s), {}}; }
  static Reply number(std::int64_t n) { return {Kind::integer, n, {}, {}}; }
  static Reply count(std::size_t n) { return number(static_cast<std::int64_t>(n)); }
  static Reply bulk(std::string s) { return {Kind::bulk, 0, std::move(s), {}}; }
  static Reply array(std::vector<Reply> v) { return {Kind::array, 0, {}, std::move(v)}; }

  bool is_error() const { return kind == Kind::error; }
  friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace lockstep::sim
