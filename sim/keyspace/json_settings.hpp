// What scripts can set on the library cjson. It stays set for later scripts of the same server.
#pragma once

#include <cstdint>

namespace lockstep::sim::dialect {

/// Defaults as in lua-cjson 2.1.0.
struct JsonSettings {
  enum class Invalid : std::uint8_t { refused, written, null };

  bool sparse_as_object = false;  ///< excessively sparse arrays become objects, no error
  int sparse_ratio = 2;           ///< places per element of an array that is not sparse; 0: any
  int sparse_safe = 10;           ///< arrays up to this length are never sparse
  int encode_max_depth = 1000;
  int decode_max_depth = 1000;
  int precision = 14;                         ///< digits of an encoded number
  bool keep_buffer = true;                    ///< has no effect that a script sees
  Invalid encode_invalid = Invalid::refused;  ///< NaN and infinities
  bool decode_invalid = true;                 ///< NaN, infinities, hexadecimal numbers

  friend bool operator==(const JsonSettings&, const JsonSettings&) = default;
};

}  // namespace lockstep::sim::dialect
