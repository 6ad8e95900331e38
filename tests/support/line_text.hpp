// Requests as lines of text, as tests write them down.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/redis/request.hpp"

namespace lockstep::test {

/// Splits a line into arguments: blanks part them; "..." and '...' quote; \n \r \t \0 \\ \" \xHH
/// inside "...".
inline sim::Request split(std::string_view line) {
  sim::Request request;
  std::size_t at = 0;
  const auto hex = [](char c) {
    return static_cast<int>(std::string_view("0123456789abcdef").find(c));
  };
  while (true) {
    while (at < line.size() && line[at] == ' ') ++at;
    if (at >= line.size()) return request;
    std::string& word = request.emplace_back();
    const char quote = line[at] == '"' || line[at] == '\'' ? line[at++] : ' ';
    while (at < line.size() && line[at] != quote) {
      char c = line[at++];
      if (quote == '"' && c == '\\' && at < line.size()) {
        c = line[at++];
        if (c == 'x') {
          c = static_cast<char>(hex(line[at]) * 16 + hex(line[at + 1]));
          at += 2;
        } else if (const auto named = std::string_view("nrt0").find(c);
                   named != std::string_view::npos) {
          c = "\n\r\t\0"[named];
        }
      }
      word += c;
    }
    ++at;
  }
}

}  // namespace lockstep::test
