// Walks through a text with the scopes that are open; see the header.
#include "sim/client/captured.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::sim::program {
namespace {

class Scopes {
 public:
  Scopes(const std::vector<Word>& words, const std::function<bool(std::size_t)>& is_target)
      : words_(words), is_target_(is_target) {}

  std::vector<std::size_t> uses_of_shared() {
    open(true);
    for (at_ = 0; at_ < words_.size(); ++at_) step();
    std::vector<std::size_t> shared;
    for (const auto& [at, variables] : uses_)
      if (std::ranges::any_of(variables, [&](std::size_t which) {
            return variables_[which].captured && variables_[which].assigned;
          }))
        shared.push_back(at);
    return shared;
  }

 private:
  struct Variable {
    int depth = 0;  ///< of its function; 1 is the file
    bool captured = false, assigned = false;
  };
  struct Scope {
    bool of_function = false;
    std::vector<std::pair<std::string_view, std::size_t>> names;  ///< each with its variable
  };
  /// What `for` declares, for the `do` that comes while so many scopes are open.
  struct Loop {
    std::size_t scopes = 0;
    std::vector<std::string_view> names;
  };

  std::string_view word(std::size_t at) const {
    return at < words_.size() ? std::string_view(words_[at].text) : std::string_view();
  }
  bool is_name(std::size_t at) const {
    return at < words_.size() && words_[at].kind == Word::Kind::name && !is_keyword(words_[at]);
  }

  void step() {
    if (words_[at_].kind != Word::Kind::name) return;
    const std::string_view now = word(at_);
    if (now == "end" || now == "until" || now == "elseif" || now == "else") close();
    if (now == "then" || now == "repeat" || now == "else") open(false);
    if (now == "do") begin_block();
    if (now == "function") begin_function();
    if (now == "local") declare_locals();
    if (now == "for") begin_loop();
    const bool of_another = at_ > 0 && (word(at_ - 1) == "." || word(at_ - 1) == ":");
    if (is_name(at_) && now == word(at_) && !of_another) note_use();
  }

  void open(bool of_function) {
    scopes_.push_back({of_function, {}});
    depth_ += of_function ? 1 : 0;
  }
  void close() {
    if (scopes_.size() == 1) return;  // the text is no Lua, which somebody else says
    depth_ -= scopes_.back().of_function ? 1 : 0;
    scopes_.pop_back();
  }
  void declare(std::string_view name) {
    scopes_.back().names.emplace_back(name, variables_.size());
    variables_.push_back({depth_});
  }

  void begin_block() {
    open(false);
    if (loops_.empty() || loops_.back().scopes + 1 != scopes_.size()) return;
    for (const std::string_view name : loops_.back().names) declare(name);
    loops_.pop_back();
  }

  void begin_loop() {
    Loop loop{scopes_.size(), {}};
    while (is_name(at_ + 1) || word(at_ + 1) == ",")
      if (is_name(++at_)) loop.names.push_back(word(at_));
    loops_.push_back(std::move(loop));
  }

  /// From `function` to the end of its parameters.
  void begin_function() {
    open(true);
    while (at_ + 1 < words_.size() && word(at_) != "(")
      if (word(++at_) == ":") declare("self");
    while (at_ + 1 < words_.size() && word(at_) != ")")
      if (is_name(++at_)) declare(word(at_));
  }

  void declare_locals() {
    if (word(at_ + 1) == "function") {
      declare(word(at_ + 2));
      ++at_;
      return begin_function();
    }
    while (is_name(at_ + 1)) {
      declare(word(++at_));
      if (word(at_ + 1) == "<") at_ += 3;  // an attribute
      if (word(at_ + 1) != ",") return;
      ++at_;
    }
  }

  void note_use() {
    std::vector<std::size_t> meant;
    const bool assigned = is_target_(at_);
    for (const Scope& scope : scopes_)
      for (const auto& [name, which] : scope.names) {
        if (name != word(at_)) continue;
        Variable& variable = variables_[which];
        variable.captured = variable.captured || (variable.depth > 1 && depth_ > variable.depth);
        variable.assigned = variable.assigned || assigned;
        meant.push_back(which);
      }
    if (!meant.empty()) uses_.emplace_back(at_, std::move(meant));
  }

  const std::vector<Word>& words_;
  const std::function<bool(std::size_t)>& is_target_;
  std::size_t at_ = 0;
  int depth_ = 0;  ///< 1: the file
  std::vector<Scope> scopes_;
  std::vector<Loop> loops_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> uses_;
};

}  // namespace

std::vector<std::size_t> uses_of_shared_variables(
    const std::vector<Word>& words, const std::function<bool(std::size_t)>& is_target) {
  return Scopes(words, is_target).uses_of_shared();
}

}  // namespace lockstep::sim::program
