// What can be told from the text of a Lua file without running it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim::program {

/// One name, number, string or sign of a Lua text; comments and blanks are left out.
struct Word {
  enum class Kind : std::uint8_t { name, number, string, sign };
  Kind kind = Kind::sign;
  std::string text;  ///< as written; of a string its contents, escapes untouched
  int line = 1;
  std::size_t begin = 0, end = 0;  ///< where it stands in the text
};
std::vector<Word> words_of(std::string_view lua_text);
/// Whether it is one of Lua's own words, not a name.
bool is_keyword(const Word& word);

/// What is added to a text, by its place there.
using Insertions = std::map<std::size_t, std::string>;

/// The text with what is added to it; at one place in the order of the layers.
std::string with_insertions(std::string_view text, std::initializer_list<const Insertions*> layers);

/// A use of a name of stock Lua that is not there (os.time, print, math.random).
struct NotAvailable {
  std::string name;
  int line = 0;
};
/// The first such use, unless the text declares the name as a local of its own; an empty name if
/// there is none.
NotAvailable first_not_available(const std::vector<Word>& words);

}  // namespace lockstep::sim::program
