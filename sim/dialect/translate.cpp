// The 5.1 parser. It builds no tree: it checks the grammar, follows the scopes, and notes beside
// each token what is to be written before, after or instead of it.
#include "sim/dialect/translate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sim/error.hpp"

namespace lockstep::sim::dialect {

namespace {

constexpr int kMaxDepth = 200;  // LUAI_MAXCCALLS of 5.1

struct Binary {
  std::string_view op;
  int left, right;
};
constexpr std::array kBinaries{Binary{"+", 6, 6},  Binary{"-", 6, 6},   Binary{"*", 7, 7},
                               Binary{"/", 7, 7},  Binary{"%", 7, 7},   Binary{"^", 10, 9},
                               Binary{"..", 5, 4}, Binary{"~=", 3, 3},  Binary{"==", 3, 3},
                               Binary{"<", 3, 3},  Binary{"<=", 3, 3},  Binary{">", 3, 3},
                               Binary{">=", 3, 3}, Binary{"and", 2, 2}, Binary{"or", 1, 1}};
constexpr int kUnaryPriority = 8;

constexpr std::array<std::string_view, 8> kRefusedMetamethods{"__eq",  "__lt", "__le",   "__concat",
                                                              "__len", "__gc", "__mode", "__close"};

struct Prefix {
  std::string text;
  int site = -1;  ///< of the helper that it calls
};

/// A token and what is written around or instead of it.
struct Piece {
  Token token;
  std::vector<Prefix> before;
  std::string after;
  std::string instead;
  bool replaced = false;
  int site = -1;  ///< of an arithmetic operator that 5.4 computes itself
};

struct Expression {
  enum class Form : std::uint8_t { other, variable, call, numeral } form = Form::other;
  OperandName name;
  std::size_t first = 0, last = 0;  ///< its tokens
  bool several = false;             ///< a call or ..., which may give more or fewer than one value
};

struct Function {
  std::vector<std::string> locals;
  std::vector<std::size_t> blocks;  ///< where each block's locals begin
  std::vector<bool> loops;          ///< per block: whether it is a loop's
  bool varargs = false;
  bool main = false;
};

OperandName quoted(const char* kind, const std::string& name) {
  OperandName text = kind;
  text.append(" '").append(name).append("'");
  return text;
}

class Parser {
 public:
  Parser(std::string_view source, const std::string& chunk) : lexer_(source, chunk), chunk_(chunk) {
    fetch();
  }

  Translation run() {
    functions_.push_back({});
    functions_.back().varargs = functions_.back().main = true;
    block();
    if (current().kind != Kind::end) expected("<eof>");
    if (!refusal_.empty()) throw BadInput(refusal_);
    write();
    return std::move(result_);
  }

 private:
  // ---- tokens ----
  const Token& current() const { return pieces_[at_].token; }
  bool is(std::string_view word) const { return current().is(word); }

  const Token& ahead() {
    if (at_ + 1 == pieces_.size()) fetch();
    return pieces_[at_ + 1].token;
  }
  void next() {
    ahead();
    ++at_;
  }
  void fetch() {
    pieces_.push_back({lexer_.next(), {}, {}, {}, false, -1});
    const Token& token = pieces_.back().token;
    if (token.kind == Kind::name) check_name(token.text);
    if (token.kind == Kind::string) check_metamethod(token.bytes);
  }
  bool accept(std::string_view word) {
    if (!is(word)) return false;
    next();
    return true;
  }
  [[noreturn]] void error(const std::string& message) const {
    lexer_.error(message, current().text, current().line);
  }
  [[noreturn]] void expected(std::string_view what) const {
    error("'" + std::string(what) + "' expected");
  }
  void expect(std::string_view word) {
    if (!accept(word)) expected(word);
  }
  /// Expects `what`, which closes `who` of line `line`.
  void close(std::string_view what, std::string_view who, int line) {
    if (accept(what)) return;
    if (line == current().line) expected(what);
    error("'" + std::string(what) + "' expected (to close '" + std::string(who) + "' at line " +
          std::to_string(line) + ")");
  }
  std::string name() {
    if (current().kind != Kind::name) expected("<name>");
    std::string text = current().text;
    next();
    return text;
  }

  // ---- what is refused ----
  /// Noted and thrown at the end: a text that 5.1 does not compile either is a syntax error.
  void refuse(const std::string& what) {
    if (!refusal_.empty()) return;
    refusal_ = chunk_ + ":" + std::to_string(pieces_.back().token.line) + ": " + what +
               " cannot be run faithfully yet";
  }
  void check_metamethod(std::string_view text) {
    if (std::ranges::find(kRefusedMetamethods, text) != kRefusedMetamethods.end()) {
      refuse("the metamethod " + std::string(text));
    }
  }
  void check_name(std::string_view text) {
    check_metamethod(text);
    if (text == "goto" || text == "_ENV") refuse("the name " + std::string(text));
    if (text.starts_with("lockstep_")) refuse("a name that begins with lockstep_");
    if (text == "pairs" || text == "next" || text == "foreach") result_.may_see_order = true;
  }

  // ---- scopes ----
  Function& function() { return functions_.back(); }
  void declare(std::string name) { function().locals.push_back(std::move(name)); }
  void open_block(bool loop) {
    function().blocks.push_back(function().locals.size());
    function().loops.push_back(loop);
    if (loop) result_.may_run_long = true;
  }
  void close_block() {
    function().locals.resize(function().blocks.back());
    function().blocks.pop_back();
    function().loops.pop_back();
  }
  OperandName variable_name(const std::string& name) {
    for (std::size_t depth = functions_.size(); depth-- > 0;) {
      const Function& f = functions_[depth];
      if (std::ranges::find(f.locals, name) != f.locals.end()) {
        const bool own = depth + 1 == functions_.size();
        return quoted(own ? "local" : "upvalue", name);
      }
      if (name == "arg" && f.varargs && !f.main) refuse("the implicit table arg");
    }
    return quoted("global", name);
  }

  // ---- notes ----
  void around(std::size_t first, std::size_t last, std::string before, const char* after,
              int site = -1) {
    auto& prefixes = pieces_[first].before;
    prefixes.insert(prefixes.begin(), Prefix{std::move(before), site});
    pieces_[last].after += after;
  }
  void call_around(std::size_t first, std::size_t last, const char* helper, int site = -1) {
    around(first, last, std::string(helper) + "(", ")", site);
  }
  void instead(std::size_t index, std::string text) {
    pieces_[index].instead = std::move(text);
    pieces_[index].replaced = true;
  }
  /// An operand that becomes a call's last argument must be one value.
  void single(const Expression& e) {
    if (e.several) around(e.first, e.last, "(", ")");
  }
  /// Notes an operation that ends with the token before the current one.
  int add_site(std::vector<OperandName> operands) {
    result_.sites.push_back({pieces_[at_ - 1].token.line, std::move(operands)});
    return static_cast<int>(result_.sites.size()) - 1;
  }

  // ---- expressions ----
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.too_deep();
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };
  [[noreturn]] void too_deep() const {
    throw SyntaxError{chunk_ + ":" + std::to_string(current().line) +
                      ": chunk has too many syntax levels"};
  }

  Expression finish(Expression e, std::size_t first) {
    e.first = first;
    e.last = at_ - 1;
    return e;
  }

  Expression expression() { return subexpression(0); }

  std::size_t expression_list(Expression* last = nullptr) {
    std::size_t count = 1;
    Expression e = expression();
    while (accept(",")) {
      e = expression();
      ++count;
    }
    if (last) *last = e;
    return count;
  }

  Expression subexpression(int limit) {
    const Depth depth(*this);
    const std::size_t first = at_;
    Expression left = is("not") || is("-") || is("#") ? unary() : simple();
    while (true) {
      const auto op = std::ranges::find_if(kBinaries, [this](const Binary& b) { return is(b.op); });
      if (op == kBinaries.end() || op->left <= limit) return left;
      left = op->op == ".." ? concatenation(left) : binary(*op, left);
      left = finish(left, first);
    }
  }

  Expression unary() {
    const std::size_t first = at_;
    const std::string op = current().text;
    next();
    const Expression operand = subexpression(kUnaryPriority);
    if (op == "#") around(first, at_ - 1, "(", "+0.0)");
    if (op == "-") pieces_[first].site = add_site({operand.name});
    return finish({}, first);
  }

  Expression binary(const Binary& op, const Expression& left) {
    const std::size_t operator_at = at_;
    next();
    const Expression right = subexpression(op.right);
    if (op.left < 6) return {};  // comparisons, and, or: 5.4 means the same
    const int site = add_site({left.name, right.name});
    if (op.op != "%" && op.op != "^") {
      pieces_[operator_at].site = site;
    } else {
      const char* helper = op.op == "%" ? kHelpers[1] : kHelpers[2];
      single(right);
      instead(operator_at, ",");
      call_around(left.first, right.last, helper, site);
    }
    return {};
  }

  /// A whole chain a .. b .. c is one call, as it is one instruction in 5.1.
  Expression concatenation(const Expression& left) {
    std::vector<OperandName> names{left.name};
    Expression last;
    while (is("..")) {
      instead(at_, ",");
      next();
      last = subexpression(5);
      names.push_back(last.name);
    }
    single(last);
    const int site = add_site(std::move(names));
    call_around(left.first, last.last, kHelpers[0], site);
    return {};
  }

  Expression simple() {
    const std::size_t first = at_;
    Expression e;
    switch (current().kind) {
      case Kind::number:
        instead(at_, numeral(current().number));
        e.form = Expression::Form::numeral;
        next();
        return finish(e, first);
      case Kind::string:
        next();
        return finish(e, first);
      default:
        break;
    }
    if (is("nil") || is("true") || is("false")) {
      next();
    } else if (is("...")) {
      if (!function().varargs) error("cannot use '...' outside a vararg function");
      e.several = true;
      next();
    } else if (is("{")) {
      table();
    } else if (is("function")) {
      const int line = current().line;
      next();
      body(false, line);
    } else {
      return primary();
    }
    return finish(e, first);
  }

  /// A float numeral that 5.4 reads as the same double.
  static std::string numeral(double value) {
    if (std::isinf(value)) return "1e999";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    std::string shown = text;
    if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
    return shown;
  }

  Expression primary() {
    const std::size_t first = at_;
    Expression e = prefix();
    while (true) {
      const int line = current().line;
      if (is(".")) {
        next();
        const std::string field = name();
        e = {Expression::Form::variable, quoted("field", field), 0, 0, false};
      } else if (is("[")) {
        e = {Expression::Form::variable, quoted("field", index()), 0, 0, false};
      } else if (is(":")) {
        next();
        name();
        arguments(current().line);
        e = call_result();
      } else if (is("(") || current().kind == Kind::string || is("{")) {
        arguments(line);
        e = call_result();
      } else {
        return finish(e, first);
      }
    }
  }

  static Expression call_result() { return {Expression::Form::call, {}, 0, 0, true}; }

  Expression prefix() {
    if (is("(")) {
      const int line = current().line;
      next();
      Expression e = expression();
      close(")", "(", line);
      e.form = Expression::Form::other;
      e.several = false;
      return e;
    }
    if (current().kind != Kind::name) error("unexpected symbol");
    const std::string text = name();
    return {Expression::Form::variable, variable_name(text), 0, 0, false};
  }

  /// [ expression ]; returns how 5.1 names the field: a string constant by itself, anything else by
  /// '?'.
  std::string index() {
    next();
    const std::size_t first = at_;
    const Expression e = expression();
    const bool constant = at_ == first + 1;
    expect("]");
    if (constant && pieces_[first].token.kind == Kind::string) return pieces_[first].token.bytes;
    if (constant && e.form == Expression::Form::numeral) whole_index(first);
    return "?";
  }

  /// A constant index may stay an integer, which is faster: no program sees the difference.
  void whole_index(std::size_t at) {
    const double value = pieces_[at].token.number;
    if (value == std::floor(value) && value >= 1 && value <= 255) {
      instead(at, std::to_string(static_cast<int>(value)));
    }
  }

  void arguments(int line) {
    if (current().kind == Kind::string) {
      next();
    } else if (is("{")) {
      table();
    } else if (is("(")) {
      if (at_ > 0 && pieces_[at_ - 1].token.line != current().line) {
        error("ambiguous syntax (function call x new statement)");
      }
      next();
      if (!is(")")) expression_list();
      close(")", "(", line);
    } else {
      error("function arguments expected");
    }
  }

  void table() {
    const int line = current().line;
    expect("{");
    while (!is("}")) {
      if (current().kind == Kind::name && ahead().is("=")) {
        next();
        next();
        expression();
      } else if (is("[")) {
        next();
        expression();
        expect("]");
        expect("=");
        expression();
      } else {
        expression();
      }
      if (!accept(",") && !accept(";")) break;
    }
    close("}", "{", line);
  }

  void body(bool method, int line) {
    result_.may_run_long = true;
    functions_.push_back({});
    if (method) declare("self");
    expect("(");
    if (!is(")")) {
      do {
        if (accept("...")) {
          function().varargs = true;
          break;
        }
        if (current().kind != Kind::name) error("<name> or '...' expected");
        declare(name());
      } while (accept(","));
    }
    expect(")");
    block();
    close("end", "function", line);
    functions_.pop_back();
  }

  // ---- statements ----
  bool block_ends() const {
    return is("else") || is("elseif") || is("end") || is("until") || current().kind == Kind::end;
  }

  /// Statements up to the end of the block, in the scope that is open.
  void block() {
    const Depth depth(*this);
    bool last = false;
    while (!last && !block_ends()) {
      last = statement();
      accept(";");
    }
  }
  void scoped_block(bool loop) {
    open_block(loop);
    block();
    close_block();
  }

  /// Parses one statement; true if it must be the last one of its block.
  bool statement() {
    const int line = current().line;
    if (is("if")) {
      if_statement(line);
    } else if (accept("while")) {
      expression();
      expect("do");
      scoped_block(true);
      close("end", "while", line);
    } else if (accept("do")) {
      scoped_block(false);
      close("end", "do", line);
    } else if (is("for")) {
      for_statement(line);
    } else if (accept("repeat")) {
      repeat_statement(line);
    } else if (accept("function")) {
      function_statement(line);
    } else if (accept("local")) {
      local_statement();
    } else if (accept("return")) {
      if (!block_ends() && !is(";")) expression_list();
      return true;
    } else if (accept("break")) {
      const auto& loops = function().loops;
      if (std::ranges::find(loops, true) == loops.end()) error("no loop to break");
      return true;
    } else {
      expression_statement();
    }
    return false;
  }

  void if_statement(int line) {
    do {
      next();
      expression();
      expect("then");
      scoped_block(false);
    } while (is("elseif"));
    if (accept("else")) scoped_block(false);
    close("end", "if", line);
  }

  void repeat_statement(int line) {
    open_block(true);
    open_block(false);
    block();
    close("until", "repeat", line);
    expression();
    close_block();
    close_block();
  }

  void for_statement(int line) {
    next();
    open_block(true);
    std::vector<std::string> names{name()};
    if (is("=")) {
      next();
      bounds();
    } else if (is(",") || is("in")) {
      while (accept(",")) names.push_back(name());
      expect("in");
      expression_list();
    } else {
      error("'=' or 'in' expected");
    }
    expect("do");
    open_block(false);
    for (std::string& each : names) declare(std::move(each));
    block();
    close_block();
    close("end", "for", line);
    close_block();
  }

  void bounds() {
    bound(kHelpers[3]);
    expect(",");
    bound(kHelpers[4]);
    if (accept(",")) bound(kHelpers[5]);
  }
  void bound(const char* helper) {
    const Expression e = expression();
    const bool plain = e.form == Expression::Form::numeral && pieces_[e.first].token.number != 0;
    if (!plain) call_around(e.first, e.last, helper);
  }

  void function_statement(int line) {
    name();
    bool method = false;
    while (!method && (is(".") || is(":"))) {
      method = is(":");
      next();
      name();
    }
    body(method, line);
  }

  void local_statement() {
    if (accept("function")) {
      const int line = current().line;
      declare(name());
      body(false, line);
      return;
    }
    std::vector<std::string> names;
    do {
      names.push_back(name());
    } while (accept(","));
    if (accept("=")) expression_list();
    for (std::string& each : names) declare(std::move(each));
  }

  void expression_statement() {
    Expression e = primary();
    if (e.form == Expression::Form::call) return;
    assignment(e);
  }
  void assignment(const Expression& target) {
    const Depth depth(*this);
    if (target.form != Expression::Form::variable) error("syntax error");
    if (accept(",")) {
      assignment(primary());
      return;
    }
    expect("=");
    expression_list();
  }

  // ---- output ----
  void write() {
    std::string& out = result_.text;
    out = "local ";
    for (const char* helper : kHelpers)
      out += std::string(helper == kHelpers[0] ? "" : ",") + helper;
    out += "=... return function(...)";
    result_.lines.push_back({1, -1});
    for (const Piece& piece : pieces_) {
      for (const Prefix& prefix : piece.before) {
        start_line(piece.token.line, prefix.site);
        out += prefix.text;
      }
      start_line(piece.token.line, piece.site);
      if (piece.token.kind == Kind::end) break;
      write_token(piece);
      out += piece.after;
    }
    out += " end";
  }

  /// What follows stands for `source` and `site`. An operation shares its line with nothing.
  void start_line(int source, int site) {
    const Line& last = result_.lines.back();
    const bool same = last.source == source && last.site < 0 && site < 0;
    result_.text += same ? ' ' : '\n';
    if (!same) result_.lines.push_back({source, site});
  }

  void write_token(const Piece& piece) {
    if (piece.replaced) {
      result_.text += piece.instead;
    } else if (piece.token.kind == Kind::string) {
      write_string(piece.token.bytes);
    } else {
      result_.text += piece.token.text;
    }
  }

  void write_string(const std::string& bytes) {
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

  Lexer lexer_;
  std::string chunk_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Function> functions_;
  Translation result_;
  std::string refusal_;
};

}  // namespace

Translation translate(std::string_view source, const std::string& chunk) {
  return Parser(source, chunk).run();
}

}  // namespace lockstep::sim::dialect
