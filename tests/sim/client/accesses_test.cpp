// What is added to a text so that accesses to tables are seen: it says the same, and each access is
// found.
#include "sim/client/accesses.hpp"

#include <catch2/catch.hpp>
#include <string>

using lockstep::sim::program::with_shown_accesses;

namespace {

/// With short names.
std::string shown(const std::string& text) {
  std::string result = with_shown_accesses(text);
  for (const std::string name : {"lockstep_at", "lockstep_seen"})
    for (auto at = result.find(name); at != std::string::npos; at = result.find(name))
      result.replace(at, name.size(), name.substr(name.find('_') + 1, 1));
  return result;
}

}  // namespace

TEST_CASE("accesses to tables are shown before, and reads also after") {
  CHECK(shown("x = self.n") == "x = s(a(self).n)");
  CHECK(shown("self.n = self.n + 1") == "a(self).n = s(a(self).n) + 1");
  CHECK(shown("self.a.b = t[i].c") == "a(a(self).a).b = s(a(a(t)[i]).c)");
  CHECK(shown("t[self.i] = nil") == "a(t)[s(a(self).i)] = nil");
  CHECK(shown("a.x, b.y = b.y, a.x") == "a(a).x, a(b).y = s(a(b).y), s(a(a).x)");
  CHECK(shown("if f(x).y == 1 then end") == "if s(a(f(x)).y) == 1 then end");
  CHECK(shown("return (p or q).x") == "return s(a((p or q)).x)");
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
