// SHA-1 (FIPS 180-4), by which Redis names scripts.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::sim {

/// Lower-case hexadecimal SHA-1.
std::string sha1_hex(std::string_view bytes);

}  // namespace lockstep::sim
