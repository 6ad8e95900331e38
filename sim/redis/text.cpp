// The two directions of redis-cli's text; see the header.
#include "sim/redis/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

constexpr std::string_view kNamed = "nrtba";
constexpr std::string_view kMeant = "\n\r\t\b\a";

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The value of a hexadecimal digit, or -1.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Reads one line from left to right.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  Request run() {
    Request request;
    while (true) {
      while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
      if (at_ >= line_.size()) return request;
      request.push_back(word());
    }
  }

 private:
  char at(std::size_t ahead) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }

  std::string word() {
    std::string text;
    while (at_ < line_.size() && !is_blank(line_[at_])) {
      const char c = line_[at_++];
      if (c != '"' && c != '\'') {
        text += c;
        continue;
      }
      read_quoted(c, text);
      if (at_ < line_.size() && !is_blank(line_[at_]))
        throw BadInput(fmt::format("column {}: expected a blank after the closing {}", at_ + 1, c));
    }
    return text;
  }

  void read_quoted(char quote, std::string& text) {
    const auto start = at_;
    for (; at_ < line_.size(); ++at_) {
      if (line_[at_] == quote) {
        ++at_;
        return;
      }
      if (line_[at_] == '\\' && (quote == '"' ? at_ + 1 < line_.size() : at(1) == '\''))
        text += quote == '"' ? escape() : line_[++at_];
      else
        text += line_[at_];
    }
    throw BadInput(fmt::format("column {}: the quote {} is never closed", start, quote));
  }

  /// What the escape at the backslash means; moves to its last character.
  char escape() {
    if (at(1) == 'x' && digit(at(2)) >= 0 && digit(at(3)) >= 0) {
      at_ += 3;
      return static_cast<char>(digit(line_[at_ - 1]) * 16 + digit(line_[at_]));
    }
    const auto named = kNamed.find(line_[++at_]);
    return named == kNamed.npos ? line_[at_] : kMeant[named];
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

void append_shown(std::string& text, const Reply& reply, const std::string& indent) {
  using Kind = Reply::Kind;
  switch (reply.kind) {
    case Kind::null:
      text += "(nil)";
      return;
    case Kind::status:
      text += reply.text;
      return;
    case Kind::error:
      text += "(error) " + reply.text;
      return;
    case Kind::integer:
      text += fmt::format("(integer) {}", reply.integer);
      return;
    case Kind::bulk:
      text += quoted(reply.text);
      return;
    case Kind::array:
      break;
  }
  if (reply.items.empty()) {
    text += "(empty array)";
    return;
  }
  const auto width = std::to_string(reply.items.size()).size();
  const std::string deeper = indent + std::string(width + 2, ' ');
  for (std::size_t i = 0; i < reply.items.size(); ++i) {
    text += fmt::format("{}{:>{}}) ", i == 0 ? "" : "\n" + indent, i + 1, width);
    append_shown(text, reply.items[i], deeper);
  }
}

}  // namespace

Request split_line(std::string_view line) { return Splitter(line).run(); }

std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto named = kMeant.find(c);
    if (c == '"' || c == '\\')
      text.append("\\").push_back(c);
    else if (named != kMeant.npos)
      text.append("\\").push_back(kNamed[named]);
    else if (c >= ' ' && c <= '~')
      text += c;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text + '"';
}

std::string line_of(const Request& request) {
  std::string line;
  for (const auto& word : request) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
    });
    line.append(line.empty() ? "" : " ").append(plain ? word : quoted(word));
  }
  return line;
}

std::string shown(const Reply& reply) {
  std::string text;
  append_shown(text, reply, "");
  return text;
}

}  // namespace lockstep::sim
