// See the header.
#include "live/drawn_tokens.hpp"

#include "sim/base/check.hpp"

namespace lockstep::live {

void DrawnTokens::drew(std::uint8_t process, const std::string& text) {
  LOCKSTEP_CHECK(length_ == 0 || length_ == text.size());
  length_ = text.size();
  drawn_.emplace(text, sim::Token{process, ++count_[process]});
}

std::vector<sim::Token> DrawnTokens::in(const std::string& text) const {
  std::vector<sim::Token> found;
  for (std::size_t at = 0; length_ > 0 && at + length_ <= text.size();) {
    const auto token = drawn_.find(text.substr(at, length_));
    if (token != drawn_.end()) found.push_back(token->second);
    at += token != drawn_.end() ? length_ : 1;
  }
  return found;
}

}  // namespace lockstep::live
