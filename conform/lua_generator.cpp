// Random scripts over the language of Lua 5.1.
#include "conform/lua_generator.hpp"

#include <string_view>

namespace lockstep::conform {

namespace {

using Kind = Node::Kind;
using Choices = std::vector<const char*>;

/// What every script begins with: variables of each kind, k(), which has no key -0 (see
/// docs/differences.md), and show(), which makes a string of
/// anything without an address and without the order of a table.
constexpr const char* kPrelude =
    "local function k(x) return x == 0 and 0 or x end local tostring0 = tostring local function "
    "tostring(v) if type(v) == 'table' or type(v) == "
    "'function' then return type(v) end return tostring0(v) end local function show(v, d) d = d or "
    "0 if type(v) == 'number' then return "
    "string.format('%.17g', v) elseif type(v) == 'string' then return string.format('%q', v) "
    "elseif type(v) ~= 'table' then return type(v) == 'function' and 'fn' or tostring(v) end if "
    "d > 3 then return '{..}' end local r = '{' for i = 1, table.maxn(v) > 40 and 40 or "
    "table.maxn(v) do r = r .. show(rawget(v, i), d + 1) .. ',' end for _, k in ipairs({'x', 'y', "
    "'n', 's', 'err', 'goto'}) do if rawget(v, k) ~= nil then r = r .. k .. '=' .. show(rawget(v, "
    "k), d + 1) .. ',' end end return r .. '}' end local function all(...) local r = {} for i = 1, "
    "select('#', ...) do r[i] = show((select(i, ...))) end return table.concat(r, ' ') end "
    "local a, b, c, n, s, t, u = 5, 2.5, -3, nil, '7', {10, 20, '30', x = 1, y = 'q', s = {4}}, "
    "'abc' local log, steps = {}, 0 local function f(x, y) return x, y, 9 end local function "
    "g(...) return select('#', ...), ... end local function h(x) log[#log + 1] = show(x) return x "
    "end ";

const Choices kNames{"a", "b", "c", "n", "s", "t", "u", "v", "w", "f", "g", "m"};

class Generator {
 public:
  explicit Generator(Dice& dice) : dice_(dice) {}

  Node script() {
    Node statements = block(4 + dice_.below(5), 3);
    Node results = list(1 + dice_.below(3), 3);
    Node all{Kind::statement, {kPrelude + std::string("local v, w, m = 1, {} "), "", ""}, {}};
    all.texts[1] = " return all(";
    all.texts[2] = ") .. '|' .. table.concat(log, ';')";
    all.children = {std::move(statements), std::move(results)};
    return all;
  }

 private:
  static Node leaf(std::string text) { return {Kind::expression, {std::move(text)}, {}}; }
  static Node ex(const std::string& format, std::vector<Node> children) {
    return node(Kind::expression, format, std::move(children));
  }
  static Node st(const std::string& format, std::vector<Node> children) {
    return node(Kind::statement, format, std::move(children));
  }
  std::string name() { return dice_.of(kNames); }
  std::string break_line() { return dice_.one_in(3) ? "\n" : " "; }

  // ---- expressions ----

  /// Expressions with commas; as a node of its own so that a part can be left out.
  Node list(std::size_t count, int depth) {
    Node made = any(depth);
    for (std::size_t i = 1; i < count; ++i) made = ex("$, $", {std::move(made), any(depth)});
    return made;
  }

  /// An expression that is probably of one type.
  Node any(int depth) {
    switch (dice_.below(9)) {
      case 0:
      case 1:
      case 2:
        return number(depth);
      case 3:
      case 4:
        return text(depth);
      case 5:
        return table(depth);
      case 6:
        return boolean(depth);
      case 7:
        return function(depth);
      default:
        return leaf(name());
    }
  }

  /// Now and then a value of another type than wanted: errors are half of the point.
  bool stray() { return dice_.one_in(14); }

  Node number(int depth) {
    if (stray()) return any(depth > 0 ? depth - 1 : 0);
    if (depth <= 0 || dice_.one_in(4)) return number_leaf();
    const int d = depth - 1;
    switch (dice_.below(10)) {
      case 0:
        return ex("($)", {number(d)});
      case 1:
        return ex("- $", {number(d)});
      case 2:
        return ex("#$", {dice_.one_in(2) ? text(d) : table(d)});
      case 3:
        return number_call(d);
      default:
        return ex(std::string("$ ") + dice_.of({"+", "-", "*", "/", "%", "^", "+", "-", "*"}) +
                      break_line() + "$",
                  {number(d), number(d)});
    }
  }

  Node number_leaf() {
    return leaf(dice_.of({"a",          "b",     "c",
                          "s",          "1",     "2",
                          "0",          "-1",    "0.1",
                          "1e15",       "1e100", "0x10",
                          "3",          "7.5",   "'3'",
                          "'0x1f'",     "' 4 '", "'1e1'",
                          "2^53",       "1/0",   "-0",
                          "-0",         "0",     "0/0",
                          "t.x",        "t[1]",  "#t",
                          "m",          "1e-7",  ".5",
                          "5.",         "0xA",   "1E2",
                          "1e16",       "100",   "255",
                          "4294967296", "-2^31", "123456789012",
                          "'-7'",       "v"}));
  }

  Node number_call(int d) {
    switch (dice_.below(9)) {
      case 0:
        return ex(std::string("math.") +
                      dice_.of({"floor", "ceil", "abs", "sqrt", "exp", "log", "log10", "modf",
                                "frexp", "deg", "rad"}) +
                      "($)",
                  {number(d)});
      case 1:
        return ex(std::string("math.") + dice_.of({"fmod", "mod", "pow", "max", "min", "atan2"}) +
                      "($, $)",
                  {number(d), number(d)});
      case 2:
        return ex("tonumber($)", {any(d)});
      case 3:
        return ex(std::string("tonumber($, ") + dice_.of({"10", "16", "2", "36", "8", "1"}) + ")",
                  {any(d)});
      case 4:
        return ex("select('#', $)", {list(2, d)});
      case 5:
        return ex("($):byte($)", {text(d), number(d)});
      case 6:
        return ex(std::string("table.") + dice_.of({"getn", "maxn"}) + "($)", {table(d)});
      case 7:
        return ex("string.len($)", {text(d)});
      default:
        return ex("h($)", {number(d)});
    }
  }

  Node text(int depth) {
    if (stray()) return any(depth > 0 ? depth - 1 : 0);
    if (depth <= 0 || dice_.one_in(4)) return text_leaf();
    const int d = depth - 1;
    switch (dice_.below(6)) {
      case 0:
        return text_call(d);
      case 1:
        return pattern_call(d);
      case 2:
        return ex("tostring($)", {dice_.one_in(2) ? number(d) : any(d)});
      case 3:
        return ex("$ .. $ .. $", {text(d), number(d), text(d)});
      default:
        return ex("$ .." + break_line() + "$", {text(d), text(d)});
    }
  }

  Node text_leaf() {
    return leaf(dice_.of({"u",          "s",         "'x'",     "''",         "'abc'",
                          "\"q\\\"r\"", "'\\65\\t'", "t.y",     "[[l\nm]]",   "[==[a]]b]==]",
                          "'a b  c'",   "'\\0z'",    "'\\x41'", "'k=v, x=y'", "'THE (quick) fox'",
                          "'\\r\\n'",   "'12.50'",   "'%d'",    "t[3]",       "v",
                          "m",          "'\\255'",   "1",       "0.1"}));
  }

  Node text_call(int d) {
    switch (dice_.below(8)) {
      case 0:
        return ex("($):sub($, $)", {text(d), number(d), number(d)});
      case 1:
        return ex(
            std::string("string.rep($, ") + dice_.of({"0", "2", "3.7", "'2'", "-1", "a"}) + ")",
            {text(d)});
      case 2:
        return ex(std::string("($):") + dice_.of({"upper", "lower", "reverse", "len"}) + "()",
                  {text(d)});
      case 3:
        return ex("string.char($, $)",
                  {number(d), leaf(dice_.of({"65", "'66'", "0", "256", "9.9"}))});
      case 4:
        return ex("table.concat($, $)", {table(d), text(d)});
      case 5:
        return ex("table.concat($, ',', $, $)", {table(d), number(d), number(d)});
      case 6:
        return ex("type($)", {any(d)});
      default:
        return ex(
            std::string("string.format('") +
                dice_.of({"%d",     "%5.1f", "%s",  "%q",    "%x", "%g", "%-8s|", "%05d", "%e",
                          "%c",     "%i",    "%u",  "%o",    "%X", "%G", "%.3s",  "%+d",  "%%%s",
                          "%10.4f", "% d",   "%#x", "%s %s", "%",  "%y", "%.20s", "%5s"}) +
                "', $)",
            {any(d)});
    }
  }

  Node pattern() {
    return leaf(
        dice_.of({"'%d+'",  "'(%w)(%w*)'", "'[^,]+'", "'%s*'", "'^a'",          "'.-b'", "'()'",
                  "'%b()'", "'%f[%w]'",    "'[a-c]'", "'x$'",  "'(a)%1'",       "'%a+'", "'.'",
                  "'[]]'",  "'%'",         "'('",     "'[a'",  "'(%w+)=(%w+)'", "'%%'",  "''",
                  "'%z'",   "'[%]]'",      "'%u-%l'", "'a*'",  "'b?c'",         "u",     "5"}));
  }

  Node pattern_call(int d) {
    switch (dice_.below(5)) {
      case 0:
        return ex("string.find($, $)", {text(d), pattern()});
      case 1:
        return ex("($):match($)", {text(d), pattern()});
      case 2:
        return ex("($):gsub($, $)",
                  {text(d), pattern(),
                   leaf(dice_.of({"'<%0>'", "'%1%1'", "''", "string.upper", "t", "'%'", "'%%'",
                                  "function(x) return x and #x end", "{a = 1, b = false}", "1",
                                  "nil", "'%2'", "function() return {} end"}))});
      case 3:
        return ex(std::string("string.find($, $, ") + dice_.of({"1", "-2", "3", "100", "'2'"}) +
                      dice_.of({")", ", true)"}),
                  {text(d), pattern()});
      default:
        return ex("string.gsub($, $, '-', " + std::string(dice_.of({"1", "0", "2", "-1"})) + ")",
                  {text(d), pattern()});
    }
  }

  Node table(int depth) {
    if (stray()) return any(depth > 0 ? depth - 1 : 0);
    if (depth <= 0 || dice_.one_in(3)) {
      return leaf(dice_.of({"t", "{}", "{1, 2, 3}", "t.s", "w", "{x = 1, y = 2}", "{f(1, 2)}", "m",
                            "{3, 1, 2}", "{'b', 'a'}", "{n = 3, [1] = 'z'}", "{nil, 2}", "{g()}"}));
    }
    const int d = depth - 1;
    switch (dice_.below(6)) {
      case 0:
        return ex("{$, $}", {any(d), any(d)});
      case 1:
        return ex("{[k($)] = $, x = $; $}", {number(d), any(d), any(d), any(d)});
      case 2:
        return ex("setmetatable($, $)", {table(d), metatable(d)});
      case 3:
        return ex("{$}", {call(d)});
      case 4:
        return ex("getmetatable($)", {table(d)});
      default:
        return ex("{pcall($, $)}", {function(d), any(d)});
    }
  }

  Node metatable(int d) {
    const std::string event =
        dice_.of({"__index", "__newindex", "__call",      "__add",    "__sub",   "__mul",  "__div",
                  "__mod",   "__pow",      "__unm",       "__concat", "__eq",    "__lt",   "__le",
                  "__len",   "__tostring", "__metatable", "__gc",     "__pairs", "__idiv", "__band",
                  "__shl",   "__close",    "__x",         "__bnot",   "__ipairs"});
    if (event == "__index" && dice_.one_in(2)) return ex("{__index = $}", {table(d)});
    if (event == "__metatable") return ex("{__metatable = $}", {any(d)});
    if (dice_.one_in(3)) return ex("{" + event + " = f, __index = h, __eq = g}", {});
    return ex("{" + event + " = $}", {function(d)});
  }

  Node boolean(int depth) {
    if (depth <= 0 || dice_.one_in(5)) return leaf(dice_.of({"true", "false", "nil", "n"}));
    const int d = depth - 1;
    const std::string compare = dice_.of({"==", "~=", "<", "<=", ">", ">="});
    switch (dice_.below(8)) {
      case 0:
        return ex("not $", {any(d)});
      case 1:
        return ex("$ and $", {any(d), any(d)});
      case 2:
        return ex("$ or $", {any(d), any(d)});
      case 3:
        return ex("$ " + compare + " $", {text(d), text(d)});
      case 4:
        return ex("$ " + compare + " $", {table(d), table(d)});
      case 5:
        return ex("rawequal($, $)", {any(d), any(d)});
      case 6:
        return ex("$ " + compare + " $", {any(d), any(d)});
      default:
        return ex("$ " + compare + " $", {number(d), number(d)});
    }
  }

  Node function(int depth) {
    if (stray()) return any(depth > 0 ? depth - 1 : 0);
    if (depth <= 0 || dice_.one_in(3)) {
      return leaf(dice_.of(
          {"f",          "g",      "h",        "tostring",     "type",         "string.rep",
           "math.floor", "unpack", "error",    "select",       "rawget",       "next",
           "ipairs",     "assert", "tonumber", "table.insert", "table.remove", "string.format",
           "v",          "pcall"}));
    }
    const int d = depth - 1;
    switch (dice_.below(6)) {
      case 0:
        return ex("function(x, y) return $ end", {list(1 + dice_.below(2), d)});
      case 1:
        return ex("function(...) return $, ... end", {any(d)});
      case 2:
        return ex("function(x, ...) local v = arg return v and v.n, v and v[1], $ end", {any(d)});
      case 3: {
        Node statements = block(1 + dice_.below(2), d);
        return ex("function(x, y) if steps > 40 then return x end steps = steps + 1 $ end",
                  {std::move(statements)});
      }
      case 4:
        return ex("function(a, b) return a $ b end",
                  {leaf(dice_.of({"+", "..", "<", "==", "%", "and"}))});
      default:
        return ex("function(x) error($) end", {list(1, d)});
    }
  }

  Node call(int d) {
    switch (dice_.below(12)) {
      case 0:
        return ex("f($)", {list(1 + dice_.below(2), d)});
      case 1:
        return ex("g($)", {list(1 + dice_.below(3), d)});
      case 2:
        return ex("pcall($, $)", {function(d), any(d)});
      case 3:
        return ex("pcall(error, $, $)", {any(d), leaf(dice_.of({"0", "1", "2", "3", "nil"}))});
      case 4:
        return ex("xpcall($, $)", {function(d), function(d)});
      case 5:
        return ex("unpack($)", {table(d)});
      case 6:
        return ex("select($, $)", {number(d), list(2, d)});
      case 7:
        return ex("next($)", {leaf(dice_.of({"{}", "{5}", "{x = 1}", "w", "n", "u"}))});
      case 8:
        return ex("assert($, $)", {any(d), any(d)});
      case 9:
        return ex("rawget($, $)", {table(d), any(d)});
      case 10:
        return ex("($)($)", {function(d), any(d)});
      default:
        return ex("$:" + std::string(dice_.of({"x", "rep", "sub", "none", "len"})) + "($)",
                  {leaf(name()), any(d)});
    }
  }

  // ---- statements ----

  Node block(std::size_t count, int depth) {
    Node made{Kind::block, {" "}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      made.children.push_back(statement(depth));
      made.texts.push_back(break_line());
    }
    return made;
  }

  Node statement(int depth) {
    if (depth <= 0) return st("v = h($)", {any(1)});
    const int d = depth - 1;
    switch (dice_.below(16)) {
      case 0:
        return st("local " + name() + " = $", {any(depth)});
      case 1:
        return st("local " + name() + ", " + name() + " = $", {list(1 + dice_.below(2), d)});
      case 2:
        return st(name() + " = $", {any(depth)});
      case 3:
        return st(dice_.of({"$[k($)] = $", "$[k($) or 1] = $", "$[k($) or 1] = $"}),
                  {leaf(dice_.of({"t", "w", "m", "t.s"})), any(d), any(d)});
      case 4:
        return st("t.x, " + name() + " = $, $", {any(d), any(d)});
      case 5:
        return st("if $ then $ elseif $ then $ else $ end",
                  {boolean(d), block(1, d), boolean(d), block(1, d), block(1, d)});
      case 6:
        return numeric_for(d);
      case 7:
        return generic_for(d);
      case 8:
        return st("repeat local x = 1 steps = steps + 1 $ until steps > 3 or $",
                  {block(1, d), boolean(d)});
      case 9:
        return st("while steps < 6 do steps = steps + 1 $ if $ then break end end",
                  {block(1, d), boolean(d)});
      case 10:
        return st("do $ end", {block(2, d)});
      case 11:
        return function_statement(d);
      case 12:
        return st("h((pcall(function() $ end)))", {block(2, d)});
      case 13:
        return st("log[#log + 1] = all($)", {call(d)});
      case 14:
        return table_statement(d);
      default:
        return st("log[#log + 1] = all(pcall(function(...) $ return $ end, $))",
                  {block(1, d), any(d), any(d)});
    }
  }

  Node numeric_for(int d) {
    const Choices bounds{"1",  "3", "0", "-2",    "'2'", "2.5", "a",
                         "#t", "n", "c", "' 3 '", "'x'", "{}"};
    const Choices steps{"",      ", 1",    ", -1", ", 2",   ", 0.5",
                        ", '2'", ", -1.5", ", s",  ", 'x'", ", nil"};
    return st("for v = " + std::string(dice_.of(bounds)) + ", " + dice_.of(bounds) +
                  dice_.of(steps) + " do steps = steps + 1 h(v) $ if steps > 20 then break end end",
              {block(1, d)});
  }

  Node generic_for(int d) {
    return st("for v, w in " +
                  std::string(dice_.of(
                      {"ipairs(t)", "pairs({5, 6})", "ipairs({1, nil, 3})", "next, {7}",
                       "('a,b,c'):gmatch('%a')", "string.gfind('k=v', '(%w)=(%w)')", "ipairs(n)",
                       "pairs(u)", "h, nil, 1", "f, 1, 2, 3, 4", "ipairs(m)", "pairs({x = 1})"})) +
                  " do steps = steps + 1 h(v) $ if steps > 20 then break end end",
              {block(1, d)});
  }

  Node function_statement(int d) {
    const std::string head =
        dice_.of({"local function v(x, y)", "function t.x(x)", "function t:y(x)",
                  "local function w(...)", "local v = function(x, ...)", "function u(a)"});
    return st(head + " if steps > 30 then return end steps = steps + 1 $ return $ end",
              {block(1, d), list(1, d)});
  }

  Node table_statement(int d) {
    switch (dice_.below(9)) {
      case 0:
        return st("table.insert($, $)", {table(d), any(d)});
      case 1:
        return st("table.insert($, $, $)", {table(d), number(d), any(d)});
      case 2:
        return st("h(table.remove($))", {table(d)});
      case 3:
        return st("table.sort($)", {table(d)});
      case 4:
        return st("table.sort($, function(x, y) return x > y end)", {table(d)});
      case 5:
        return st("setmetatable($, $)", {table(d), metatable(d)});
      case 6:
        return st(dice_.of({"table.foreachi($, $)", "table.foreach($, $)"}),
                  {table(d), function(d)});
      case 7:
        return st("rawset($, k($), $)", {table(d), any(d), any(d)});
      default:
        return st("m = setmetatable({$}, $)", {any(d), metatable(d)});
    }
  }

  Dice& dice_;
};

}  // namespace

std::string own_part(const std::string& script) {
  const bool whole = script.starts_with(kPrelude);
  return whole ? script.substr(std::string_view(kPrelude).size()) : script;
}

Node random_script(Dice& dice) { return Generator(dice).script(); }

}  // namespace lockstep::conform
