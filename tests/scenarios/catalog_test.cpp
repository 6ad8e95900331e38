// Finding protocols and scenarios: shipped names, paths, near misses, and LOCKSTEP_HOME.
#include "scenarios/catalog.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

using Catch::Matchers::Contains;
using tests::bad_input;
using tests::TemporaryFolder;

/// A home with two protocols outside the ladder, one on it, and one scenario.
struct Home {
  TemporaryFolder folder;
  Catalog catalog{folder.path()};
  Home() {
    for (const auto* name : {"zebra", "apple", "rung"})
      folder.write(std::string("protocols/") + name + "/protocol.lua", "");
    folder.write("protocols/ladder.txt", "# the order of the article\nrung   # the only one\n\n");
    folder.write("protocols/no-protocol/readme.txt", "");
    folder.write("scenarios/story.json",
                 R"({"title": "t", "source": "s", "why": "w", "protocol": "apple",
      "kind": "search", "expect": {"verdict": "holds"}})");
    folder.write("scenarios/scenario.schema.json", "{}");
    folder.write("mine/protocol.lua", "");
    folder.write("mine/own.json", R"({"title": "t", "source": "s", "why": "w", "protocol": ".",
      "kind": "search", "expect": {"verdict": "holds"}})");
  }
};

}  // namespace

TEST_CASE("shipped names come in a fixed order, the ladder first") {
  const Home home;
  CHECK(home.catalog.ladder() == std::vector<std::string>{"rung"});
  CHECK(home.catalog.protocols() == std::vector<std::string>{"rung", "apple", "zebra"});
  CHECK(home.catalog.scenarios() == std::vector<std::string>{"story"});
}

TEST_CASE("a name or a path means a protocol or a scenario") {
  const Home home;
  const auto& path = home.folder.path();
  CHECK(home.catalog.protocol_folder("apple") == path / "protocols/apple");
  CHECK(home.catalog.protocol_folder((path / "mine").string()) == path / "mine");
  CHECK(home.catalog.scenario("apple").folder == path / "protocols/apple");
  CHECK_FALSE(home.catalog.scenario("apple").expect.has_value());
  CHECK(home.catalog.scenario("story").folder == path / "protocols/apple");
  CHECK(home.catalog.scenario("story").expect.has_value());
  const auto own = home.catalog.scenario((path / "mine/own.json").string());
  CHECK(std::filesystem::equivalent(own.folder, path / "mine"));
}

TEST_CASE(
    "a protocol is referred to by its shipped name, or relative to the file that refers to it") {
  const Home home;
  const auto& path = home.folder.path();
  CHECK(home.catalog.reference(path / "protocols/zebra", path / "mine") == "zebra");
  CHECK(home.catalog.reference(path / "mine", path / "scenarios") == "../mine");
}

TEST_CASE("what is not there is answered with a near one") {
  const Home home;
  CHECK_THAT(bad_input([&] { home.catalog.protocol_folder("aple"); }),
             Contains("no protocol `aple`; did you mean `apple`?"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario_file("stroy"); }),
             Contains("did you mean `story`?"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario("stroy"); }),
             Contains("no protocol or scenario `stroy`; did you mean `story`?"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario("./nowhere"); }),
             Contains("./nowhere: no such"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario("nowhere.json"); }),
             Contains("nowhere.json: no such file"));
  const auto file = home.folder.write(
      "mine/bad.json", R"({"title": "t", "source": "s", "why": "w", "protocol": "aple",
      "kind": "search", "expect": {"verdict": "holds"}})");
  CHECK_THAT(bad_input([&] { home.catalog.read(file); }),
             Contains("bad.json: $.protocol: ") && Contains("`apple`"));
}

TEST_CASE("a name that no file system would have is not there") {
  const Home home;
  const std::string name(5000, 'x');
  CHECK_THAT(bad_input([&] { home.catalog.protocol_folder(name); }), Contains("no protocol"));
  CHECK_THAT(bad_input([&] { home.catalog.protocol_folder(name + "/"); }), Contains("no such"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario_file(name); }), Contains("no scenario"));
  CHECK_THAT(bad_input([&] { home.catalog.scenario(name); }), Contains("no protocol or scenario"));
}

TEST_CASE("LOCKSTEP_HOME names the home, and must be one") {
  const Home home;
  setenv("LOCKSTEP_HOME", home.folder.path().c_str(), 1);
  CHECK(Catalog::find().ladder() == std::vector<std::string>{"rung"});
  setenv("LOCKSTEP_HOME", "/nowhere", 1);
  CHECK_THAT(bad_input([] { Catalog::find(); }),
             Contains("LOCKSTEP_HOME=/nowhere: expected a folder"));
  unsetenv("LOCKSTEP_HOME");
  CHECK_FALSE(Catalog::find().scenarios().empty());
}

}  // namespace lockstep::scenarios
