// What is added to a text so that accesses to tables are seen: it says the same, and each access is
// found.
#include "sim/client/accesses.hpp"

#include <catch2/catch.hpp>
#include <string>

using lockstep::sim::program::with_shown_accesses;
using lockstep::sim::program::with_shown_keys;

namespace {

std::string with_short_names(std::string text) {
  for (const std::string name : {"lockstep_at", "lockstep_seen", "lockstep_of", "lockstep_key"})
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, name.size(), name.substr(name.find('_') + 1, 1));
  return text;
}

std::string shown(const std::string& text) { return with_short_names(with_shown_accesses(text)); }
std::string keys_of(const std::string& text) { return with_short_names(with_shown_keys(text)); }

}  // namespace

TEST_CASE("accesses to tables are shown before, and reads also after") {
  CHECK(shown("x = self.n") == "x = s(a(self).n)");
  CHECK(shown("self.n = self.n + 1") == "a(self).n = s(a(self).n) + 1");
  CHECK(shown("self.a.b = t[i].c") == "a(a(self).a).b = s(a(a(t)[k(i,4000000,t)]).c)");
  CHECK(shown("t[self.i] = nil") == "a(t)[k(s(a(self).i),4000000,t)] = nil");
  CHECK(shown("a.x, b.y = b.y, a.x") == "a(a).x, a(b).y = s(a(b).y), s(a(a).x)");
  CHECK(shown("if f(x).y == 1 then end") == "if s(a(f(a(x))).y) == 1 then end");
  CHECK(shown("return (p or q).x") == "return s(a((p or q)).x)");
}

TEST_CASE("a key in brackets is compared with the keys of its table") {
  CHECK(keys_of("x = t[age]") == "x = t[k(age,4000000,t)]");
  CHECK(keys_of("t.a[age + 1] = 2") == "t.a[k(age + 1,4000000,t.a)] = 2");
  CHECK(keys_of("x = f()[i]") == "x = o(f(),4000000)[k(i,4000000)]");
  CHECK(keys_of("x = t[i][j]") == "x = o(t[k(i,4000000,t)],4000004)[k(j,4000004)]");
  CHECK(keys_of("x = t[u[i]]") == "x = t[k(u[k(i,4000004,u)],4000000,t)]");
  CHECK(keys_of("x = t.a, { [age] = 1 }") == "x = t.a, { [age] = 1 }");
}

TEST_CASE("what a function is given is looked at, and so is a table in each round of a loop") {
  CHECK(shown("x = f(q or {}, t)") == "x = f(q or {}, a(t))");
  CHECK(shown("x = f(function() if y then return end end, t)") ==
        "x = f(function() if y then return end end, a(t))");
  CHECK(shown("x = f(function() local u, t, v = g() end)") ==
        "x = f(function() local u, t, v = g() end)");
  CHECK(shown("x = 1 for _, v in ipairs(t) do f(v) end") ==
        "x = 1 for _, v in ipairs(a(t)) do a(t); f(a(v)) end");
  CHECK(shown("x = 1 for _, v in pairs(t.u) do f(1) end") ==
        "x = 1 for _, v in pairs(s(a(t).u)) do s(); f(1) end");
  CHECK(shown("x = 1 for _, v in ipairs { 1, 2 } do f(1) end") ==
        "x = 1 for _, v in ipairs { 1, 2 } do f(1) end");
  CHECK(shown("x = 1 for i = 1, 2 do f(1) end") == "x = 1 for i = 1, 2 do f(1) end");
}

TEST_CASE("a variable that functions share is shown behind a read, and before it is assigned to") {
  const auto inside = [](const std::string& body) {
    const std::string before = "function f() local n, m = 0, 0 spawn(function() ";
    const std::string text = shown(before + body + " end) end");
    REQUIRE(text.starts_with(before));
    return text.substr(before.size(),
                       text.size() - before.size() - std::string(" end) end").size());
  };
  CHECK(inside("n = n + 1") == "s(); n = s(n) + 1");
  CHECK(inside("if n == 0 then n = 1 end") == "if s(n) == 0 then s(); n = 1 end");
  CHECK(inside("n, m = m, n") == "s(); n, m = s(m), s(n)");
  CHECK(inside("n = 1 g({ n = 2 })") == "s(); n = 1 g({ n = 2 })");
  CHECK(inside("g(n, m)") == "g(a(n), a(m))");  // nobody assigns to them
  CHECK(inside("local n = 1 g(n .. 'x')") == "local n = 1 g(n .. 'x')");
  CHECK(shown("function f() local n = 0 n = n + 1 end") ==
        "function f() local n = 0 n = n + 1 end");
  CHECK(shown("function f() for i = 1, 2 do i = i + 1 spawn(function() g(i + 1) end) end end") ==
        "function f() for i = 1, 2 do s(); i = s(i) + 1 spawn(function() g(s(i) + 1) end) end end");
  CHECK(shown("local function f(n) local function g() n = 2 end return n == 1 and g end") ==
        "local function f(n) local function g() s(); n = 2 end return s(n) == 1 and g end");
}

TEST_CASE("what is no access, or is only called, stays") {
  CHECK(shown("function Lock.f() end") == "function Lock.f() end");
  CHECK(shown("function Lock:f() end") == "function Lock:f() end");
  CHECK(shown("self:f()") == "self:f()");
  CHECK(shown("string.format('%d', 1)") == "a(string).format('%d', 1)");
  CHECK(shown("x = 'a' .. b .. 1.5") == "x = 'a' .. b .. 1.5");
  CHECK(shown("t = { [1] = 2, x = 3 } f(...)") == "t = { [1] = 2, x = 3 } f(...)");
  CHECK(shown("goto done ::done::") == "goto done ::done::");
}
