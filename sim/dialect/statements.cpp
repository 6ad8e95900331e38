// The 5.1 parser: statements.
#include "sim/dialect/parser.hpp"

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
    expression();
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
    expression();
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
  expression();
  scopes_.close_block();
  scopes_.close_block();
}

void Parser::for_statement(int line) {
  draft_.next();
  open_block(true);
  std::vector<std::string> names{draft_.variable()};
  if (draft_.is("=")) {
    draft_.next();
    bounds();
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
  scopes_.close_block();
}

void Parser::bounds() {
  bound(kForInitial);
  draft_.expect(",");
  bound(kForLimit);
  if (draft_.accept(",")) bound(kForStep);
}

void Parser::bound(Helper helper) {
  const Expression e = expression();
  const bool plain = e.form == Expression::Form::numeral && draft_.token(e.first).number != 0;
  if (!plain) draft_.call_around(e.first, e.last, helper);
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
  if (draft_.accept(",")) {
    assignment(primary());
    return;
  }
  draft_.expect("=");
  expression_list();
}

}  // namespace lockstep::sim::dialect
