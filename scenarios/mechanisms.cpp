// See mechanisms.hpp.
#include "scenarios/mechanisms.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <utility>

#include "sim/base/files.hpp"
#include "sim/lua51/lexer.hpp"

namespace lockstep::scenarios {

namespace {

using sim::dialect::Kind;
using sim::dialect::Token;

std::string in_upper_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }
bool compares(const Token& token) {
  static const std::set<std::string> kComparisons{"==", "~=", "<", ">", "<=", ">="};
  return token.kind == Kind::symbol && kComparisons.contains(token.text);
}

/// Tokens from `first` up to, not with, `last`.
struct Span {
  std::size_t first = 0, last = 0;
};

class Finder {
 public:
  Finder(std::string file, std::string source)
      : file_(std::move(file)), source_(std::move(source)) {
    sim::dialect::Lexer lexer(source_, file_);
    do {
      tokens_.push_back(lexer.next());
    } while (tokens_.back().kind != Kind::end);
  }

  std::vector<Mechanism> found() {
    for (at_ = 0; at_ + 1 < tokens_.size(); ++at_) {
      option();
      command();
      token();
      task();
      decision();
    }
    return std::move(found_);
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  const Token& before() const { return tokens_[at_ == 0 ? tokens_.size() - 1 : at_ - 1]; }

  /// The first token from `from` on, outside of brackets that open there, for which `ends` is true,
  /// or that closes the bracket around them; the end of the file if there is none.
  template <class Ends>
  std::size_t end_of(std::size_t from, const Ends& ends) const {
    int depth = 0;
    for (std::size_t i = from; i + 1 < tokens_.size(); ++i) {
      if (depth == 0 && (ends(tokens_[i]) || closes(tokens_[i]))) return i;
      depth += opens(tokens_[i]) ? 1 : closes(tokens_[i]) ? -1 : 0;
    }
    return tokens_.size() - 1;
  }
  std::size_t end_of_argument(std::size_t from) const {
    return end_of(from, [](const Token& token) { return token.is(","); });
  }
  std::size_t end_of_bracket(std::size_t opening) const {
    return end_of(opening + 1, [](const Token&) { return false; });
  }

  /// Its bytes in the source: where they begin, and how many.
  std::pair<std::size_t, std::size_t> bytes(Span span) const {
    const auto first = tokens_[span.first].first;
    return {first, tokens_[span.last - 1].last - first};
  }
  std::string source(Span span) const {
    const auto [first, count] = bytes(span);
    return source_.substr(first, count);
  }

  /// In one line.
  std::string text(Span span) const {
    std::string words;
    for (const char c : source(span)) {
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!blank)
        words += c;
      else if (!words.ends_with(' '))
        words += ' ';
    }
    return words;
  }

  void add(Span shown, Span taken, std::string without, const std::string& instead,
           const std::string& what = "") {
    const auto [first, count] = bytes(taken);
    found_.push_back({file_, tokens_[shown.first].line, what.empty() ? text(shown) : what,
                      std::move(without), std::string(source_).replace(first, count, instead)});
  }

  /// The command that the request around this token begins with, in upper case; "" if this is it.
  std::string command_around() const {
    int depth = 0;
    std::string first;
    for (std::size_t i = at_; i-- > 0;) {
      if (opens(tokens_[i]) && depth-- == 0) break;
      depth += closes(tokens_[i]) ? 1 : 0;
      if (depth == 0 && tokens_[i].kind == Kind::string) first = in_upper_case(tokens_[i].bytes);
    }
    return first;
  }

  /// NX, or PX with its time.
  void option() {
    static const std::set<std::string> kCommands{"SET",     "GETEX",    "ZADD",     "EXPIRE",
                                                 "PEXPIRE", "EXPIREAT", "PEXPIREAT"};
    static const std::set<std::string> kFlags{"NX", "XX", "GT", "LT", "KEEPTTL"};
    static const std::set<std::string> kWithValue{"EX", "PX", "EXAT", "PXAT", "IFEQ"};
    if (here().kind != Kind::string || !before().is(",")) return;
    const auto word = in_upper_case(here().bytes);
    const bool has_value = kWithValue.contains(word);
    if ((!has_value && !kFlags.contains(word)) || !kCommands.contains(command_around())) return;
    std::size_t last = at_ + 1;
    if (has_value) {
      if (!tokens_[last].is(",")) return;
      last = end_of_argument(last + 1);
    }
    const auto what = has_value ? word + " " + text({at_ + 2, last}) : word;
    add({at_, last}, {at_ - 1, last}, "left out", "", what);
  }

  /// A lifetime that is given to a key by a command of its own.
  void command() {
    static const std::set<std::string> kExpiries{"EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"};
    if (here().kind != Kind::string || !kExpiries.contains(in_upper_case(here().bytes)) ||
        at_ < 2 || !opens(before()) || tokens_[at_ - 2].kind != Kind::name)
      return;
    std::size_t first = at_ - 2;
    while (first >= 2 && tokens_[first - 1].is(".")) first -= 2;
    const Span whole{first, end_of_bracket(at_ - 1) + 1};
    add(whole, whole, "not sent, and answered 1", "tonumber(1)");
  }

  bool calls(const char* function) const {
    return here().kind == Kind::name && here().text == function && tokens_[at_ + 1].is("(") &&
           !before().is(".") && !before().is(":") && !before().is("function");
  }

  void token() {
    if (calls("unique") && tokens_[at_ + 2].is(")"))
      add({at_, at_ + 3}, {at_, at_ + 3}, "the same for everybody", "\"same\"");
  }

  void task() {
    if (!calls("every") && !calls("spawn")) return;
    const std::size_t argument = end_of_argument(at_ + 2);
    const Span whole{at_, end_of_bracket(at_ + 1) + 1};
    const auto what = here().text + "(" +
                      (here().text == "every" ? text({at_ + 2, argument}) + ", ...)" : "...)");
    add(whole, whole, "never does anything", "spawn(function() end)", what);
  }

  void decision() {
    if (here().is("if") || here().is("elseif")) {
      const auto then = end_of(at_ + 1, [](const Token& token) { return token.is("then"); });
      return operands({at_ + 1, then}, false);
    }
    if (!here().is("return")) return;
    const auto end = end_of(at_ + 1, [](const Token& token) {
      static const std::set<std::string> kEnds{",", ";", "end", "else", "elseif", "until"};
      return (token.kind == Kind::symbol || token.kind == Kind::keyword) &&
             kEnds.contains(token.text);
    });
    const bool has_body = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at_),
                                      tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                                      [](const Token& token) { return token.is("function"); });
    if (!has_body) operands({at_ + 1, end}, true);
  }

  /// Each side of `and` and `or` by itself; of what is returned only comparisons decide.
  void operands(Span span, bool comparisons_only) {
    const auto joins = [](const Token& token) { return token.is("and") || token.is("or"); };
    for (std::size_t first = span.first; first < span.last;) {
      const std::size_t last = std::min(end_of(first, joins), span.last);
      if (last > first) operand({first, last}, comparisons_only);
      first = last + 1;
    }
  }

  void operand(Span span, bool comparisons_only) {
    const std::size_t bare = span.first + (tokens_[span.first].is("not") ? 1 : 0);
    if (bare < span.last && tokens_[bare].is("(") && end_of_bracket(bare) + 1 == span.last)
      return operands({bare + 1, span.last - 1}, comparisons_only);
    const bool comparison = end_of(span.first, compares) < span.last;
    if (comparisons_only && !comparison) return;
    add(span, span, "always true", "((" + source(span) + ") or true)");
    add(span, span, "always false", "((" + source(span) + ") and false)");
  }

  std::string file_, source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Mechanism> found_;
};

}  // namespace

std::vector<Mechanism> mechanisms(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".lua") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Mechanism> all;
  for (const auto& file : files) {
    try {
      Finder finder(file.filename().string(), sim::file_text(file));
      std::ranges::move(finder.found(), std::back_inserter(all));
    } catch (const sim::dialect::SyntaxError&) {  // what is wrong with it says who runs it
    }
  }
  return all;
}

}  // namespace lockstep::scenarios
