// A small Lua lexer, for what is wanted to be known of a text before it runs.
#include "sim/client/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "sim/base/ascii.hpp"
#include "sim/client/library.hpp"

namespace lockstep::sim::program {
namespace {

constexpr std::array<std::string_view, 22> kKeywords{
    "and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
    "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
    "repeat",   "return", "then", "true", "until",  "while"};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

/// Cuts a Lua text into words. It never fails: a text that Lua refuses is refused by Lua.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Word> words() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const std::size_t begin = at_, count = words_.size();
      if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        skip(1);
      } else if (text_.substr(at_).starts_with("--")) {
        comment();
      } else if (is_name_start(c)) {
        word(Word::Kind::name, is_name_part);
      } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
        number();
      } else if (c == '"' || c == '\'') {
        quoted(c);
      } else if (c == '[' && long_bracket() > 0) {
        long_string(true);
      } else {
        sign();
      }
      if (words_.size() > count) {
        words_.back().begin = begin;
        words_.back().end = at_;
      }
    }
    return std::move(words_);
  }

 private:
  void skip(std::size_t count) {
    const std::string_view skipped = text_.substr(at_, count);
    line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    at_ += skipped.size();
  }

  /// Length of the opening long bracket here ("[[" or "[==["), or 0.
  std::size_t long_bracket() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] == '=') ++end;
    return end < text_.size() && text_[end] == '[' ? end + 1 - at_ : 0;
  }

  void long_string(bool keep) {
    const std::size_t length = long_bracket();
    std::string close(length, '=');
    close.front() = close.back() = ']';
    const std::size_t end = std::min(text_.find(close, at_ + length), text_.size());
    if (keep)
      words_.push_back(
          {Word::Kind::string, std::string(text_.substr(at_ + length, end - at_ - length)), line_});
    skip(end + close.size() - at_);
  }

  void comment() {
    skip(2);
    if (at_ < text_.size() && text_[at_] == '[' && long_bracket() > 0) return long_string(false);
    skip(std::min(text_.find('\n', at_), text_.size()) - at_);
  }

  void word(Word::Kind kind, bool (*part)(char)) {
    std::size_t end = at_;
    while (end < text_.size() && part(text_[end])) ++end;
    words_.push_back({kind, std::string(text_.substr(at_, end - at_)), line_});
    skip(end - at_);
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign_of_exponent =
          (c == '+' || c == '-') && end > at_ &&
          std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos;
      const bool concatenation = c == '.' && end + 1 < text_.size() && text_[end + 1] == '.';
      if (concatenation || (!is_name_part(c) && c != '.' && !sign_of_exponent)) break;
      ++end;
    }
    words_.push_back({Word::Kind::number, std::string(text_.substr(at_, end - at_)), line_});
    skip(end - at_);
  }

  void quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    words_.push_back(
        {Word::Kind::string, std::string(text_.substr(at_ + 1, end - at_ - 1)), line_});
    skip(end + 1 - at_);
  }

  /// Of longer signs only those matter here that a single one could be taken for: `==` for `=`,
  /// `..` for `.`.
  void sign() {
    std::size_t length = 1;
    if (text_.substr(at_).starts_with("==")) length = 2;
    while (text_[at_] == '.' && at_ + length < text_.size() && text_[at_ + length] == '.') ++length;
    words_.push_back({Word::Kind::sign, std::string(text_.substr(at_, length)), line_});
    skip(length);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<Word> words_;
};

/// Adds the names of a list "a, b <const>, c" that starts at `at`.
void add_names(const std::vector<Word>& words, std::size_t at, std::set<std::string>& names) {
  for (; at < words.size(); ++at) {
    const Word& word = words[at];
    if (word.kind == Word::Kind::name) {
      names.insert(word.text);
    } else if (word.text != "," && word.text != "<" && word.text != ">") {
      return;
    }
    if (word.kind == Word::Kind::name &&
        (at + 1 == words.size() || (words[at + 1].text != "," && words[at + 1].text != "<")))
      return;
  }
}

/// Every name that the text declares itself: locals, parameters, loop variables.
std::set<std::string> declared(const std::vector<Word>& words) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind != Word::Kind::name) continue;
    if (words[at].text == "for" || words[at].text == "local") add_names(words, at + 1, names);
    if (words[at].text != "function") continue;
    if (at + 1 < words.size() && words[at + 1].kind == Word::Kind::name)
      names.insert(words[at + 1].text);
    while (at < words.size() && words[at].text != "(") ++at;
    add_names(words, at + 1, names);
  }
  return names;
}

bool is_field(const std::vector<Word>& words, std::size_t at) {
  const bool after_dot = at > 0 && (words[at - 1].text == "." || words[at - 1].text == ":") &&
                         words[at - 1].kind == Word::Kind::sign;
  const bool assigned =
      at + 1 < words.size() && words[at + 1].kind == Word::Kind::sign && words[at + 1].text == "=";
  return after_dot || assigned;
}

}  // namespace

std::vector<Word> words_of(std::string_view lua_text) { return Lexer(lua_text).words(); }

bool is_keyword(const Word& word) {
  return word.kind == Word::Kind::name && std::ranges::binary_search(kKeywords, word.text);
}

NotAvailable first_not_available(const std::vector<Word>& words) {
  const std::set<std::string> own = declared(words);
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind != Word::Kind::name || is_field(words, at) || own.contains(words[at].text))
      continue;
    std::string name = words[at].text;
    if (why_not_available(name) == nullptr && at + 2 < words.size() && words[at + 1].text == ".")
      name += "." + words[at + 2].text;
    if (why_not_available(name) != nullptr) return {name, words[at].line};
  }
  return {};
}

std::string with_insertions(std::string_view text,
                            std::initializer_list<const Insertions*> layers) {
  std::string result;
  for (std::size_t place = 0; place <= text.size(); ++place) {
    for (const Insertions* layer : layers)
      if (const auto added = layer->find(place); added != layer->end()) result += added->second;
    if (place < text.size()) result += text[place];
  }
  return result;
}

}  // namespace lockstep::sim::program
