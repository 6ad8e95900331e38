// Writing a draft: the text for Lua 5.4, and what each of its lines stands for.
#include <cstdio>
#include <iterator>

#include "sim/base/error.hpp"
#include "sim/lua51/draft.hpp"

namespace lockstep::sim::dialect {

Translation Draft::write() {
  if (!refusal_.empty()) throw BadInput(refusal_);
  std::string& out = result_.text;
  out = "local ";
  for (std::size_t i = 0; i < std::size(kHelpers); ++i) {
    if (i > 0) out += ',';
    out += kHelpers[i];
  }
  out += "=... return function(...)";
  result_.lines.push_back({1, -1});
  for (const Piece& piece : pieces_) {
    for (const Prefix& prefix : piece.before) {
      start_line(piece.token.line, prefix.site);
      if (prefix.zero >= 0 && negative_zeros_[static_cast<std::size_t>(prefix.zero)]) out += '-';
      out += prefix.text;
    }
    start_line(piece.token.line, piece.site);
    if (piece.token.kind == Kind::end) break;
    write_token(piece);
    out += piece.after;
  }
  out += " end";
  return std::move(result_);
}

/// What follows stands for `source` and `site`. An operation shares its line with nothing.
void Draft::start_line(int source, int site) {
  const Line& last = result_.lines.back();
  const bool same = last.source == source && last.site < 0 && site < 0;
  result_.text += same ? ' ' : '\n';
  if (!same) result_.lines.push_back({source, site});
}

void Draft::write_token(const Piece& piece) {
  if (piece.replaced) {
    result_.text += piece.instead;
  } else if (piece.token.kind == Kind::string) {
    write_string(piece.token.bytes);
  } else {
    result_.text += piece.token.text;
  }
}

void Draft::write_string(const std::string& bytes) {
  std::string& out = result_.text;
  out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte > 126 || c == '"' || c == '\\') {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\%03u", static_cast<unsigned>(byte));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace lockstep::sim::dialect
