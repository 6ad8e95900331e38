// The 5.1 parser. It builds no tree: it checks the grammar, follows the scopes, and notes in the
// draft what is to be written otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/lua51/constants.hpp"
#include "sim/lua51/draft.hpp"
#include "sim/lua51/scopes.hpp"

namespace lockstep::sim::dialect {

class Parser {
 public:
  /// `metatables`: a table with a metatable may turn up.
  Parser(Draft& draft, bool metatables) : draft_(draft), zeros_(draft), metatables_(metatables) {}

  /// Reads the whole script.
  void chunk();

 private:
  struct Expression {
    enum class Form : std::uint8_t { other, variable, call, numeral, logical } form = Form::other;
    OperandName name = {};
    std::size_t first = 0, last = 0;  ///< its tokens
    bool several = false;  ///< a call or ..., which may give more or fewer than one value
    std::optional<std::pair<std::size_t, std::size_t>> key = {};  ///< of a field t[k]: k's tokens
    std::optional<double> constant = {};                          ///< known while 5.1 compiles
    std::optional<bool> truth = {};                               ///< the same
    bool zero = false;   ///< where no jump leaves it, a zero that is no constant yet
    bool local = false;  ///< a local variable, perhaps in parentheses
  };
  struct Binary {
    std::string_view op;
    int left, right;
  };
  static const Binary kBinaries[];

  /// Counts how deep the grammar's rules are nested.
  class Depth {
   public:
    explicit Depth(Parser& parser);
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  // ---- expressions.cpp ----
  OperandName variable_name(const std::string& name);
  static Expression logical();
  Expression finish(Expression e, std::size_t first) const;
  /// An operand that becomes a call's last argument must be one value.
  void single(const Expression& e);
  Expression expression() { return subexpression(0); }
  void expression_list();
  Expression subexpression(int limit);
  /// What is only tested: 5.1 makes no constant of a numeral there.
  Expression condition();
  Expression unary();
  Expression binary(const Binary& op, const Expression& left);
  Expression junction(const Binary& op, const Expression& left);
  void comparison(std::string_view op, const Expression& left, const Expression& right,
                  std::size_t operator_at);
  /// Writes an operation as a call of a helper.
  void call_operator(const Expression& left, std::size_t operator_at, const Expression& right,
                     Helper helper, int site);
  /// Notes the constant of an operation that ends here, if there is one.
  Expression operation(std::size_t first, std::string_view op, std::optional<double> left,
                       std::optional<double> right);
  Expression concatenation(const Expression& left);
  Expression simple();
  Expression primary();
  void place_call(std::size_t first, int line);
  Expression prefix();
  std::string field();
  Expression index();
  void whole_index(std::size_t at);
  void arguments(int line);
  void table();
  void body(bool method, int line);
  void parameters();

  // ---- statements.cpp ----
  bool block_ends() const;
  void block();
  void open_block(bool loop);
  void scoped_block(bool loop);
  bool statement();
  void if_statement(int line);
  void repeat_statement(int line);
  void for_statement(int line);
  bool bounds(std::size_t at);
  void iterator();
  bool is_one_call(std::size_t first) const;
  void function_statement(int line);
  void local_statement();
  void expression_statement();
  void assignment(const Expression& target);

  Draft& draft_;
  Zeros zeros_;
  bool metatables_;
  Scopes scopes_;
  int depth_ = 0;
};

}  // namespace lockstep::sim::dialect
