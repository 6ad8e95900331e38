// The 5.1 parser: expressions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/lua51/parser.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr int kMaxNesting = 200;  // LUAI_MAXCCALLS of 5.1
constexpr int kUnaryPriority = 8;

OperandName quoted(const char* kind, const std::string& name) {
  OperandName text = kind;
  text.append(" '").append(name).append("'");
  return text;
}

/// A float numeral that 5.4 reads as the same double.
std::string numeral(double value) {
  if (std::isinf(value)) return "1e999";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string shown = text;
  if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
  return shown;
}

}  // namespace

const Parser::Binary Parser::kBinaries[] = {{"+", 6, 6},  {"-", 6, 6},   {"*", 7, 7},  {"/", 7, 7},
                                            {"%", 7, 7},  {"^", 10, 9},  {"..", 5, 4}, {"~=", 3, 3},
                                            {"==", 3, 3}, {"<", 3, 3},   {"<=", 3, 3}, {">", 3, 3},
                                            {">=", 3, 3}, {"and", 2, 2}, {"or", 1, 1}};

Parser::Depth::Depth(Parser& parser) : parser_(parser) {
  if (++parser_.depth_ > kMaxNesting) parser_.draft_.too_deep();
}

OperandName Parser::variable_name(const std::string& name) {
  switch (scopes_.find(name)) {
    case Scopes::Place::local:
      return quoted("local", name);
    case Scopes::Place::upvalue:
      return quoted("upvalue", name);
    default:
      return quoted("global", name);
  }
}

/// An operand that becomes a call's last argument must be one value.
void Parser::single(const Expression& e) {
  if (e.several) draft_.around(e.first, e.last, "(", ")");
}

Parser::Expression Parser::logical() { return {.form = Expression::Form::logical}; }

Parser::Expression Parser::finish(Expression e, std::size_t first) const {
  e.first = first;
  e.last = draft_.at() - 1;
  return e;
}

void Parser::expression_list() {
  expression();
  while (draft_.accept(",")) expression();
}

Parser::Expression Parser::subexpression(int limit) {
  const Depth depth(*this);
  const std::size_t first = draft_.at();
  Expression left = draft_.is("not") || draft_.is("-") || draft_.is("#") ? unary() : simple();
  while (true) {
    const auto op =
        std::ranges::find_if(kBinaries, [this](const Binary& b) { return draft_.is(b.op); });
    if (op == std::end(kBinaries) || op->left <= limit) return left;
    left = op->op == ".." ? concatenation(left) : binary(*op, left);
    left = finish(left, first);
  }
}

Parser::Expression Parser::condition() {
  Expression e = expression();
  if (e.zero) zeros_.take_back();
  return e;
}

Parser::Expression Parser::unary() {
  const std::size_t first = draft_.at();
  const std::string op = draft_.current().text;
  draft_.next();
  const Expression operand = subexpression(kUnaryPriority);
  if (op == "not") {
    if (operand.zero) zeros_.take_back();
    Expression e = finish(logical(), first);
    if (operand.truth) e.truth = !*operand.truth;
    return e;
  }
  if (op == "#") {
    draft_.instead(first, "");
    single(operand);
    draft_.call_around(first, draft_.at() - 1, kLength, draft_.add_site({operand.name}));
    return finish({}, first);
  }
  draft_.place_operator(first, draft_.add_site({operand.name}));
  return operation(first, "*", operand.constant, -1.0);
}

Parser::Expression Parser::binary(const Binary& op, const Expression& left) {
  if (op.left < 3) return junction(op, left);
  const std::size_t operator_at = draft_.at();
  const bool comparing = op.left == 3;
  draft_.next();
  // 5.1 makes the constant of an arithmetic operation's left numeral when it has read the right one
  std::optional<Zeros::Zero> zero;
  if (left.constant && left.zero && !comparing) zero = zeros_.take_back();
  const Expression right = subexpression(op.right);
  if (comparing) {
    comparison(op.op, left, right, operator_at);
    return logical();
  }
  const int site = draft_.add_site({left.name, right.name});
  if (op.op != "%" && op.op != "^") {
    draft_.place_operator(operator_at, site);
  } else {
    call_operator(left, operator_at, right, op.op == "%" ? kModulo : kPower, site);
  }
  Expression e = operation(left.first, op.op, left.constant, right.constant);
  if (zero && e.constant) zeros_.settle(*zero);
  if (zero && !e.constant) zeros_.put(*zero);
  return e;
}

/// 5.1 reads a local variable on the left when it has computed the right operand, which may have
/// changed it. So it is given to the helper behind that, with a mark.
void Parser::call_operator(const Expression& left, std::size_t operator_at, const Expression& right,
                           Helper helper, int site) {
  single(right);
  if (!left.local) {
    draft_.instead(operator_at, ",");
    draft_.call_around(left.first, right.last, helper, site);
    return;
  }
  std::string name;
  for (std::size_t i = left.first; i <= operator_at; ++i) {
    if (draft_.token(i).kind == Kind::name) name = draft_.written(i);
  }
  draft_.leave_out(left.first, operator_at);
  draft_.around(left.first, right.last, std::string(kHelpers[helper]) + "(", "," + name + ",1)",
                site);
}

/// and, or: 5.4 means the same. Where the left operand is known to let it pass, 5.1 sees the right
/// one only.
Parser::Expression Parser::junction(const Binary& op, const Expression& left) {
  const bool passing = op.op == "and";
  draft_.next();
  if (passing && left.zero) zeros_.take_back();
  Expression right = subexpression(op.right);
  if (left.truth != passing) {
    Expression either = logical();
    either.zero = right.zero;
    return either;
  }
  // 5.4 is to see no more: it would take a 2^53 for a call, not for a constant
  single(right);
  draft_.leave_out(left.first, right.first - 1);
  right.several = right.local = false;
  if (right.form != Expression::Form::logical) right.form = Expression::Form::other;
  return right;
}

Parser::Expression Parser::operation(std::size_t first, std::string_view op,
                                     std::optional<double> left, std::optional<double> right) {
  Expression e = finish({}, first);
  if (left && right) e.constant = folded(op, *left, *right);
  if (!e.constant) return e;
  e.truth = true;
  e.zero = *e.constant == 0;
  zeros_.note(e.first, e.last, *e.constant);
  return e;
}

/// Without metatables 5.4 compares as 5.1 does, but for the line of an error. The order of two
/// texts is told by a helper all the same: it notes that the order of lock tokens mattered.
void Parser::comparison(std::string_view op, const Expression& left, const Expression& right,
                        std::size_t operator_at) {
  const bool equality = op == "==" || op == "~=";
  if (!metatables_ && equality) return;
  const int site = draft_.add_site({});
  if (!metatables_ && (left.constant || right.constant)) {
    draft_.place_operator(operator_at, site);
    return;
  }
  const Helper helper = op == "<"    ? kLess
                        : op == "<=" ? kLessEqual
                        : op == ">"  ? kGreater
                        : op == ">=" ? kGreaterEqual
                                     : kEqual;
  call_operator(left, operator_at, right, helper, site);
  if (op == "~=") draft_.around(left.first, right.last, "(not ", ")");
}

/// A whole chain a .. b .. c is one call, as it is one instruction in 5.1.
Parser::Expression Parser::concatenation(const Expression& left) {
  std::vector<OperandName> names{left.name};
  Expression last;
  while (draft_.is("..")) {
    draft_.instead(draft_.at(), ",");
    draft_.next();
    last = subexpression(5);
    names.push_back(last.name);
  }
  single(last);
  const int site = draft_.add_site(std::move(names));
  draft_.call_around(left.first, last.last, kConcat, site);
  return {};
}

Parser::Expression Parser::simple() {
  const std::size_t first = draft_.at();
  Expression e;
  switch (draft_.current().kind) {
    case Kind::number:
      draft_.instead(draft_.at(), numeral(draft_.current().number));
      e.form = Expression::Form::numeral;
      e.constant = draft_.current().number;
      e.truth = true;
      e.zero = *e.constant == 0;
      zeros_.note(first, first, *e.constant);
      draft_.next();
      return finish(e, first);
    case Kind::string:
      e.truth = true;
      draft_.next();
      return finish(e, first);
    default:
      break;
  }
  if (draft_.is("nil") || draft_.is("true") || draft_.is("false")) {
    e.truth = draft_.is("true");
    draft_.next();
  } else if (draft_.is("...")) {
    if (!scopes_.has_varargs()) draft_.error("cannot use '...' outside a vararg function");
    e.several = true;
    scopes_.use_varargs();
    draft_.next();
  } else if (draft_.is("{")) {
    table();
  } else if (draft_.is("function")) {
    const int line = draft_.current().line;
    draft_.next();
    body(false, line);
  } else {
    return primary();
  }
  return finish(e, first);
}

Parser::Expression Parser::primary() {
  const std::size_t first = draft_.at();
  const Expression call{.form = Expression::Form::call, .several = true};
  Expression e = prefix();
  int call_line = draft_.token(first).line;
  while (true) {
    const int line = draft_.current().line;
    if (draft_.is(".")) {
      e = {.form = Expression::Form::variable, .name = quoted("field", field())};
    } else if (draft_.is("[")) {
      e = index();
    } else if (draft_.is(":")) {
      draft_.next();
      if (draft_.current().text == "goto") draft_.refuse("a method named goto");
      draft_.name();
      call_line = draft_.current().line;
      arguments(call_line);
      e = call;
    } else if (draft_.is("(") || draft_.current().kind == Kind::string || draft_.is("{")) {
      call_line = line;
      arguments(line);
      e = call;
    } else {
      place_call(first, call_line);
      return finish(e, first);
    }
  }
}

/// 5.4 places a call at the line on which its expression begins, 5.1 where its arguments begin.
void Parser::place_call(std::size_t first, int line) {
  if (draft_.token(first).line != line) draft_.place_operator(first, draft_.add_site_at(line, {}));
}

Parser::Expression Parser::prefix() {
  if (draft_.is("(")) {
    const int line = draft_.current().line;
    draft_.next();
    Expression e = expression();
    draft_.close(")", "(", line);
    if (e.form != Expression::Form::logical) e.form = Expression::Form::other;
    e.several = false;
    return e;
  }
  if (draft_.current().kind != Kind::name) draft_.error("unexpected symbol");
  const std::string text = draft_.variable();
  return {.form = Expression::Form::variable,
          .name = variable_name(text),
          .local = scopes_.find(text) == Scopes::Place::local};
}

/// .name, which 5.4 takes for any name but goto.
std::string Parser::field() {
  const std::size_t dot = draft_.at();
  draft_.next();
  const std::size_t at = draft_.at();
  std::string text = draft_.name();
  if (text == "goto") {
    draft_.instead(dot, "[");
    draft_.instead(at, "\"goto\"]");
  }
  return text;
}

/// [ expression ]. 5.1 names the field, if it is a string constant, by itself, anything else by
/// '?'.
Parser::Expression Parser::index() {
  draft_.next();
  const std::size_t first = draft_.at();
  const Expression e = expression();
  Expression field{.form = Expression::Form::variable, .name = quoted("field", "?")};
  const bool constant = draft_.at() == first + 1;
  // 5.4 loses the name of a table that it loads within the jumps of a key
  if (e.form == Expression::Form::logical) {
    draft_.around(e.first, e.last, fmt::format("({}(", kHelpers[kIterator]), "))");
  }
  draft_.expect("]");
  if (constant && draft_.token(first).kind == Kind::string) {
    field.name = quoted("field", draft_.token(first).bytes);
  } else if (constant && e.form == Expression::Form::numeral) {
    whole_index(first);
  } else {
    if (metatables_) draft_.call_around(e.first, e.last, kReadKey);
    field.key = {e.first, e.last};
  }
  return field;
}

/// A constant index may stay an integer, which is faster: no program sees the difference.
void Parser::whole_index(std::size_t at) {
  const double value = draft_.token(at).number;
  if (value == std::floor(value) && value >= 1 && value <= 255) {
    draft_.instead(at, std::to_string(static_cast<int>(value)));
  }
}

void Parser::arguments(int line) {
  if (draft_.current().kind == Kind::string) {
    draft_.next();
  } else if (draft_.is("{")) {
    table();
  } else if (draft_.is("(")) {
    if (draft_.at() > 0 && draft_.token(draft_.at() - 1).line != draft_.current().line) {
      draft_.error("ambiguous syntax (function call x new statement)");
    }
    draft_.next();
    if (!draft_.is(")")) expression_list();
    draft_.close(")", "(", line);
  } else {
    draft_.error("function arguments expected");
  }
}

void Parser::table() {
  const int line = draft_.current().line;
  draft_.expect("{");
  while (!draft_.is("}")) {
    if (draft_.current().kind == Kind::name && draft_.ahead().is("=")) {
      if (draft_.current().text == "goto") draft_.instead(draft_.at(), "[\"goto\"]");
      draft_.next();
      draft_.next();
      expression();
    } else if (draft_.is("[")) {
      draft_.next();
      expression();
      draft_.expect("]");
      draft_.expect("=");
      expression();
    } else {
      expression();
    }
    if (!draft_.accept(",") && !draft_.accept(";")) break;
  }
  draft_.close("}", "{", line);
}

void Parser::parameters() {
  draft_.expect("(");
  if (!draft_.is(")")) {
    do {
      if (draft_.accept("...")) {
        scopes_.take_varargs();
        break;
      }
      if (draft_.current().kind != Kind::name) draft_.error("<name> or '...' expected");
      scopes_.declare(draft_.variable());
    } while (draft_.accept(","));
  }
  draft_.expect(")");
}

void Parser::body(bool method, int line) {
  draft_.note_long_run();
  scopes_.open_function(false);
  zeros_.open_function();
  if (method) scopes_.declare("self");
  parameters();
  const std::size_t head_end = draft_.at() - 1;
  block();
  draft_.close("end", "function", line);
  if (scopes_.arg() == Scopes::Arg::table) {
    draft_.behind(head_end, " local arg=" + std::string(kHelpers[kArgTable]) + "(...)");
  } else if (scopes_.arg() == Scopes::Arg::nothing) {
    draft_.behind(head_end, " local arg");
  }
  scopes_.close_function();
  zeros_.close_function();
}

}  // namespace lockstep::sim::dialect
