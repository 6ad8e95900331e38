// The tokens that unique() has given in a live run, and to whom: random letters there, which say
// nothing themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/token.hpp"

namespace lockstep::live {

class DrawnTokens {
 public:
  void drew(std::uint8_t process, const std::string& text);
  /// Those that stand in a text, in its order.
  std::vector<sim::Token> in(const std::string& text) const;

 private:
  std::unordered_map<std::string, sim::Token> drawn_;  ///< by their letters
  std::map<std::uint8_t, std::uint16_t> count_;        ///< by process
  std::size_t length_ = 0;                             ///< of each
};

}  // namespace lockstep::live
