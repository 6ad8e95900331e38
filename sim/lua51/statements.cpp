// The 5.1 parser: statements.
#include "sim/lua51/parser.hpp"

namespace lockstep::sim::dialect {

void Parser::chunk() {
  scopes_.open_function(true);
  zeros_.open_function();
  block();
  if (draft_.current().kind != Kind::end) draft_.expected("<eof>");
  zeros_.close_function();
}

void Parser::open_block(bool loop) {
  scopes_.open_block(loop);
  if (loop) draft_.note_long_run();
}

bool Parser::block_ends() const {
  return draft_.is("else") || draft_.is("elseif") || draft_.is("end") || draft_.is("until") ||
         draft_.current().kind == Kind::end;
}

/// Statements up to the end of the block, in the scope that is open.
void Parser::block() {
  const Depth depth(*this);
  bool last = false;
  while (!last && !block_ends()) {
    last = statement();
    draft_.accept(";");
  }
}

void Parser::scoped_block(bool loop) {
  open_block(loop);
  block();
  scopes_.close_block();
}

/// Parses one statement; true if it must be the last one of its block.
bool Parser::statement() {
  const int line = draft_.current().line;
  if (draft_.is("if")) {
    if_statement(line);
  } else if (draft_.accept("while")) {
    condition();
    draft_.expect("do");
    scoped_block(true);
    draft_.close("end", "while", line);
  } else if (draft_.accept("do")) {
    scoped_block(false);
    draft_.close("end", "do", line);
  } else if (draft_.is("for")) {
    for_statement(line);
  } else if (draft_.accept("repeat")) {
    repeat_statement(line);
  } else if (draft_.accept("function")) {
    function_statement(line);
  } else if (draft_.accept("local")) {
    local_statement();
  } else if (draft_.accept("return")) {
    if (!block_ends() && !draft_.is(";")) expression_list();
    return true;
  } else if (draft_.accept("break")) {
    if (!scopes_.in_loop()) draft_.error("no loop to break");
    return true;
  } else {
    expression_statement();
  }
  return false;
}

void Parser::if_statement(int line) {
  do {
    draft_.next();
    condition();
    draft_.expect("then");
    scoped_block(false);
  } while (draft_.is("elseif"));
  if (draft_.accept("else")) scoped_block(false);
  draft_.close("end", "if", line);
}

void Parser::repeat_statement(int line) {
  open_block(true);
  open_block(false);
  block();
  draft_.close("until", "repeat", line);
  condition();
  scopes_.close_block();
  scopes_.close_block();
}

void Parser::for_statement(int line) {
  const std::size_t at = draft_.at();
  bool wrapped = false;
  draft_.next();
  open_block(true);
  std::vector<std::string> names{draft_.variable()};
  if (draft_.is("=")) {
    draft_.next();
    wrapped = bounds(at);
  } else if (draft_.is(",") || draft_.is("in")) {
    while (draft_.accept(",")) names.push_back(draft_.variable());
    draft_.expect("in");
    iterator();
  } else {
    draft_.error("'=' or 'in' expected");
  }
  draft_.expect("do");
  open_block(false);
  for (std::string& each : names) scopes_.declare(std::move(each));
  block();
  scopes_.close_block();
  draft_.close("end", "for", line);
  if (wrapped) draft_.behind(draft_.at() - 1, " end");
  scopes_.close_block();
}

/// The bounds of a numeric for, whose `for` is at `at`. Unless they are constants it becomes
/// do local ... = bounds(...) for name = ... do ... end end; returns whether it does. A constant
/// zero's sign is not known before the end of the function.
bool Parser::bounds(std::size_t at) {
  constexpr const char* kLocals = "lockstep_from,lockstep_to,lockstep_by";
  std::optional<double> constants[3] = {{}, {}, 1.0};
  int count = 0;
  Expression last;
  do {
    last = expression();
    constants[count] = last.constant;
    if (++count == 1 && !draft_.is(",")) draft_.expected(",");
  } while (count < 3 && draft_.accept(","));
  const auto& [from, to, by] = constants;
  if (from && to && by && *from != 0 && *by != 0 && (*from - *by) + *by == *from) return false;
  single(last);
  const std::string name = draft_.written(at + 1);
  draft_.instead(at, std::string("do local ") + kLocals + "=" + kHelpers[kBounds] + "(");
  draft_.instead(at + 1, "");
  draft_.instead(at + 2, "");
  draft_.behind(draft_.at() - 1, count == 2 ? ",1.0)" : ")");
  draft_.behind(draft_.at() - 1, " for " + name + "=" + kLocals);
  return true;
}

/// The values of a generic for: 5.4 would close a fourth one. pairs() and ipairs() have three.
void Parser::iterator() {
  const std::size_t first = draft_.at();
  const std::string name = draft_.current().text;
  const bool known =
      (name == "pairs" || name == "ipairs") && scopes_.find(name) == Scopes::Place::global;
  expression_list();
  if (!known || !is_one_call(first)) draft_.call_around(first, draft_.at() - 1, kIterator);
}

/// Whether the tokens from the name at `first` up to the current one are a single name(...).
bool Parser::is_one_call(std::size_t first) const {
  int open = 0;
  for (std::size_t i = first + 1; i < draft_.at(); ++i) {
    if (draft_.token(i).is("(")) ++open;
    if (draft_.token(i).is(")")) --open;
    if (open == 0) return draft_.token(i).is(")") && i + 1 == draft_.at();
  }
  return false;
}

void Parser::function_statement(int line) {
  draft_.variable();
  bool method = false;
  while (!method && (draft_.is(".") || draft_.is(":"))) {
    method = draft_.is(":");
    if (draft_.ahead().text == "goto") draft_.refuse("a function named goto in a table");
    draft_.next();
    draft_.name();
  }
  body(method, line);
}

void Parser::local_statement() {
  if (draft_.accept("function")) {
    const int line = draft_.current().line;
    scopes_.declare(draft_.variable());
    body(false, line);
    return;
  }
  std::vector<std::string> names;
  do {
    names.push_back(draft_.variable());
  } while (draft_.accept(","));
  if (draft_.accept("=")) expression_list();
  for (std::string& each : names) scopes_.declare(std::move(each));
}

void Parser::expression_statement() {
  Expression e = primary();
  if (e.form == Expression::Form::call) return;
  assignment(e);
}

void Parser::assignment(const Expression& target) {
  const Depth depth(*this);
  if (target.form != Expression::Form::variable) draft_.error("syntax error");
  if (metatables_ && target.key) {
    draft_.call_around(target.key->first, target.key->second, kNewKey);
  }
  if (draft_.accept(",")) {
    assignment(primary());
    return;
  }
  draft_.expect("=");
  expression_list();
}

}  // namespace lockstep::sim::dialect
