// `lockstep diff`: versions in folders, in git and as stored verdicts; what is weaker, and what is
// only different.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/compare.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using scenarios::Change;
using scenarios::Finding;
using scenarios::Standing;

const fs::path kProtocols = fs::path(LOCKSTEP_SOURCE_DIR) / "protocols";

/// A copy of set-token-lua under `name`, with `what` replaced by `by` in one of its files.
std::string changed_copy(const std::string& name, const std::string& file, const std::string& what,
                         const std::string& by) {
  const auto folder = scratch() / name;
  fs::remove_all(folder);
  fs::copy(kProtocols / "set-token-lua", folder);
  auto text = read(folder / file);
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  write(folder / file, text.replace(at, what.size(), by));
  return folder.string();
}

std::string without_compare(const std::string& name) {
  return changed_copy(name, "release.lua", "redis.call(\"get\",KEYS[1]) == ARGV[1]", "true");
}

Finding finding(Standing standing, std::uint64_t steps = 0) {
  Finding made;
  made.standing = standing;
  made.steps = steps;
  return made;
}

void git(const std::string& words) {
  REQUIRE(std::system(
              ("git -c user.name=t -c user.email=t@t " + words + " >/dev/null 2>&1").c_str()) == 0);
}

}  // namespace

TEST_CASE("matrix and diff say what there was no time for, and are inconclusive") {
  const auto grid = run({"matrix", "setnx", "--max-seconds", "0.000001"});
  CHECK(grid.code == 2);
  CHECK_THAT(grid.out, Contains("setnx, no fault: the time limit was reached\n") &&
                           Contains("setnx, pause: the time limit was reached\n"));
  // Once, whatever many properties it leaves open.
  const std::string reason = "setnx, no fault: the time limit was reached\n";
  CHECK(grid.out.find(reason) == grid.out.rfind(reason));
  const auto differences = run({"diff", "setnx", "setnx", "--max-seconds", "0.000001"});
  CHECK(differences.code == 2);
  CHECK_THAT(differences.out,
             Contains("\nthe time limit was reached: ") && Contains(" verdicts not compared\n"));
  CHECK_THAT(run({"diff", "setnx", "setnx", "--max-seconds", "0.000001", "--json"}).out,
             Contains("\"exit_code\": 2"));
  const auto wrong = run({"diff", "setnx", "setnx", "--max-seconds", "0"});
  CHECK(wrong.code == 3);
  CHECK_THAT(wrong.err, Contains("--max-seconds: found 0"));
}

TEST_CASE("what is known of one version alone is not compared either") {
  const auto file = (scratch() / "known.json").string();
  write(file, run({"matrix", "setnx", "--property", "mutual-exclusion", "--json"}).out);
  CHECK_THAT(run({"diff", "--baseline", file, "setnx", "--max-seconds", "0.000001"}).out,
             Contains("\nthe time limit was reached: ") && Contains(" verdicts not compared\n"));
}

TEST_CASE("weaker is what held and does not hold any more") {
  using scenarios::change_between;
  const auto change = [](Standing before, Standing after) {
    return change_between(finding(before, before == Standing::violated ? 9 : 0),
                          finding(after, after == Standing::violated ? 9 : 0));
  };
  for (const auto bad :
       {Standing::violated, Standing::inconclusive, Standing::vacuous, Standing::not_reentrant}) {
    CHECK(change(Standing::holds, bad) == Change::weaker);
    CHECK(change(Standing::cannot_happen, bad) == Change::weaker);
    CHECK(change(bad, bad) == Change::same);
  }
  CHECK(change(Standing::holds, Standing::cannot_happen) == Change::same);
  CHECK(change(Standing::not_reentrant, Standing::violated) == Change::weaker);
  CHECK(change(Standing::vacuous, Standing::violated) == Change::weaker);
  CHECK(change(Standing::violated, Standing::holds) == Change::stronger);
  CHECK(change(Standing::violated, Standing::not_reentrant) == Change::stronger);
  CHECK(change(Standing::inconclusive, Standing::not_reentrant) == Change::stronger);
  CHECK(change(Standing::violated, Standing::inconclusive) == Change::changed);
  CHECK(change(Standing::inconclusive, Standing::vacuous) == Change::changed);
  CHECK(change_between(finding(Standing::violated, 9), finding(Standing::violated, 7)) ==
        Change::changed);
}

TEST_CASE("the run that is shown is the shortest one of the first condition that is weaker") {
  using sim::Property;
  const auto weaker = [](const std::string& condition, Property property, std::uint64_t steps) {
    scenarios::Difference difference{finding(Standing::holds), finding(Standing::violated, steps),
                                     Change::weaker};
    difference.after.condition = condition;
    difference.after.property = property;
    return difference;
  };
  std::vector<scenarios::Difference> all{
      weaker("pause", Property::mutual_exclusion, 20), weaker("pause", Property::deadlock, 9),
      weaker("pause", Property::foreign_release, 9), weaker("crash", Property::deadlock, 3)};
  CHECK(scenarios::first_violated(all) == &all[2]);
  all[2].change = Change::same;
  CHECK(scenarios::first_violated(all) == &all[1]);
  all[1].after.standing = Standing::inconclusive;
  CHECK(scenarios::first_violated(all) == &all[0]);
  CHECK(scenarios::first_violated({}) == nullptr);
}

TEST_CASE("a protocol is not weaker than itself") {
  const auto same = run({"diff", "set-token-lua", "set-token-lua"});
  CHECK(same.code == 0);
  CHECK_THAT(same.out, StartsWith("SAME"));
}

TEST_CASE("a lock that got weaker is told with a counterexample, one that got stronger is not") {
  const auto worse = without_compare("worse");
  const auto weaker = run({"diff", "set-token-lua", worse});
  CHECK(weaker.code == 1);
  CHECK_THAT(weaker.out, StartsWith("WEAKER"));
  CHECK_THAT(weaker.out, Contains("foreign-release") && Contains("VIOLATED"));
  const auto stronger = run({"diff", worse, "set-token-lua"});
  CHECK(stronger.code == 0);
  CHECK_THAT(stronger.out, StartsWith("NOT WEAKER") && Contains("stronger"));
}

TEST_CASE("a lock that nobody can acquire any more is weaker") {
  const auto never = changed_copy("never", "protocol.lua", "== OK", "== 'never'");
  const auto ran = run({"diff", "set-token-lua", never});
  CHECK(ran.code == 1);
}

TEST_CASE("what is printed does not depend on the number of threads") {
  const auto worse = without_compare("threads");
  const auto one = run({"diff", "set-token-lua", worse, "--jobs", "1", "--json"});
  const auto several = run({"diff", "set-token-lua", worse, "--jobs", "3", "--json"});
  CHECK(one.code == 1);
  CHECK(one.out == several.out);
}

TEST_CASE("stored verdicts stand for the old version, in the world in which they were judged") {
  const auto file = (scratch() / "stored.json").string();
  write(file, run({"matrix", "set-token-lua", "--lease-ms", "8000", "--json"}).out);
  CHECK(run({"diff", "--baseline", file, "set-token-lua"}).code == 0);
  const auto worse = without_compare("stored");
  const auto weaker = run({"diff", "--baseline", file, worse});
  CHECK(weaker.code == 1);
  CHECK_THAT(weaker.out, Contains("lease 8000 ms"));
  const auto flags = run({"diff", "--baseline", file, worse, "--lease-ms", "5000"});
  CHECK(flags.code == 3);

  const auto several = (scratch() / "several.json").string();
  write(several, run({"matrix", "set-token-lua", "setnx", "--json"}).out);
  CHECK(run({"diff", "--baseline", several, "setnx"}).code == 0);
  const auto missing = run({"diff", "--baseline", several, "set-ex-nx"});
  CHECK(missing.code == 3);
  CHECK_THAT(missing.err, Contains("holds no verdicts on `set-ex-nx`"));
}

TEST_CASE("a baseline of several protocols knows each by its folder's name") {
  const auto file = (scratch() / "several.json").string();
  write(file, run({"matrix", "setnx", "set-nx-px", "--property", "leak", "--json"}).out);
  const auto folder = scratch() / "elsewhere" / "setnx";
  write(folder / "protocol.lua", read("protocols/setnx/protocol.lua"));
  const auto ran = run({"diff", "--baseline", file, folder.string()});
  CHECK(ran.err == "");
  CHECK(ran.code == 0);
}

TEST_CASE("a baseline without some verdicts says so") {
  const auto file = (scratch() / "partial.json").string();
  write(file, run({"matrix", "set-token-lua", "--property", "leak", "--json"}).out);
  const auto ran = run({"diff", "--baseline", file, "set-token-lua"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("verdicts that this lockstep can judge are not in the baseline"));
}

TEST_CASE("a git revision of a folder is a version") {
  const InFolder repository(scratch() / "repository");
  git("init .");
  fs::copy(kProtocols / "set-token-lua", "lock");
  git("add .");
  git("commit -m one");
  const auto worse = without_compare("in-git");
  fs::copy(fs::path(worse) / "release.lua", "lock/release.lua",
           fs::copy_options::overwrite_existing);

  const auto weaker = run({"diff", "HEAD:lock", "lock"});
  CHECK(weaker.code == 1);
  CHECK_THAT(weaker.out, Contains("old       HEAD:lock"));
  CHECK(run({"diff", "HEAD:lock", "set-token-lua"}).code == 0);
  git("commit -am two");
  CHECK(run({"diff", "HEAD~1:lock", "HEAD:lock"}).code == 1);

  const auto refused = run({"diff", "HEAD:lokc", "lock"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, StartsWith("lockstep: HEAD:lokc: git: fatal:"));
  CHECK(run({"diff", "HEAD~7:lock", "lock"}).code == 3);
  CHECK(run({"diff", "HEAD~1:lock", "HEAD:lock", "--trace", "t.json"}).code == 3);

  write("lock/protocol.lua", "x = = 1\n");
  git("commit -am three");
  CHECK_THAT(run({"diff", "HEAD~1:lock", "HEAD:lock"}).err,
             StartsWith("lockstep: HEAD:lock/protocol.lua:1:"));
}

TEST_CASE("a protocol that is new or deleted is no weaker lock; one that is mistyped is refused") {
  const InFolder repository(scratch() / "comings");
  git("init .");
  fs::copy(kProtocols / "set-token-lua", "old-lock");
  git("add .");
  git("commit -m one");
  fs::create_directories("locks");
  fs::copy(kProtocols / "set-token-lua", "locks/new-lock");
  fs::remove_all("old-lock");

  const auto added = run({"diff", "HEAD:locks/new-lock", "locks/new-lock"});
  CHECK(added.code == 0);
  CHECK_THAT(added.out, StartsWith("NEW       locks/new-lock: ") &&
                            Contains("\nold       HEAD:locks/new-lock is not there: nothing to"));
  CHECK(run({"diff", "HEAD:./locks/new-lock", "./locks/new-lock/"}).code == 0);
  const auto gone = run({"diff", "HEAD:old-lock", "old-lock"});
  CHECK(gone.code == 0);
  CHECK_THAT(gone.out, StartsWith("DELETED   HEAD:old-lock: ") &&
                           Contains("\nnew       old-lock is not there"));
  CHECK_THAT(run({"diff", "HEAD:old-lock", "old-lock", "--json"}).out,
             Contains("\"status\": \"deleted\""));
  {
    const InFolder below("locks");
    CHECK(run({"diff", "HEAD:locks/new-lock", "new-lock"}).code == 0);
    CHECK(run({"diff", "HEAD:./new-lock", "new-lock"}).code == 0);
  }
  git("add .");
  git("commit -m two");
  CHECK_THAT(run({"diff", "HEAD~1:locks/new-lock", "HEAD:locks/new-lock"}).out, StartsWith("NEW"));
  CHECK_THAT(run({"diff", "HEAD~1:old-lock", "HEAD:old-lock"}).out, StartsWith("DELETED"));

  CHECK(run({"diff", "HEAD~1:locks/new-lokc", "locks/new-lock"}).code == 3);
  CHECK(run({"diff", "HEAD:locks/new-lock", "locks/new-lokc"}).code == 3);
  CHECK(run({"diff", "HEAD:locks/neither", "locks/neither"}).code == 3);
  CHECK(run({"diff", "HEAD~9:locks/new-lock", "locks/new-lock"}).code == 3);
  write("locks/broken/protocol.lua", "x = = 1\n");
  CHECK(run({"diff", "HEAD:locks/broken", "locks/broken"}).code == 3);
}

TEST_CASE("what is taken out of git does not stay behind") {
  const InFolder repository(scratch() / "tidy");
  git("init .");
  fs::copy(kProtocols / "set-token-lua", "lock");
  git("add .");
  git("commit -m one");
  const auto temporary = scratch() / "temporary";
  fs::create_directories(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  const auto ran = run({"diff", "HEAD:lock", "set-token-lua"});
  unsetenv("TMPDIR");
  CHECK(ran.code == 0);
  CHECK(fs::is_empty(temporary));
}

TEST_CASE("the counterexample of a diff can be kept and replayed") {
  const auto file = (scratch() / "diff.trace.json").string();
  CHECK(run({"diff", "set-token-lua", without_compare("kept"), "--trace", file}).code == 1);
  CHECK(run({"replay", file}).code == 1);
}

TEST_CASE("the counterexample of a diff is one of the first condition that is weaker") {
  auto stored =
      Json::parse(run({"matrix", "set-token-lua", "--property", "foreign-release", "--json"}).out);
  auto& verdicts = stored["protocols"][0]["verdicts"];
  std::erase_if(verdicts.get_ref<Json::array_t&>(), [](const Json& verdict) {
    return verdict["condition"] != "pause" && verdict["condition"] != "jump";
  });
  const auto file = (scratch() / "first.json").string();
  write(file, stored.dump());
  const auto worse = without_compare("first");
  const auto ran = run({"diff", "--baseline", file, worse});
  CHECK_THAT(ran.out, Contains("the first of them: pause\n"));
  // A jump does it in fewer steps.
  const auto told = Json::parse(run({"diff", "--baseline", file, worse, "--json"}).out);
  const auto& differences = told["differences"];
  REQUIRE(differences.size() == 2);
  CHECK(differences[0]["new"]["steps"] > differences[1]["new"]["steps"]);
}

TEST_CASE("diff of the wrong number of versions is refused") {
  CHECK(run({"diff"}).code == 3);
  CHECK(run({"diff", "setnx"}).code == 3);
  CHECK(run({"diff", "setnx", "setnx", "setnx"}).code == 3);
  for (const auto& versions : std::vector<std::vector<std::string>>{{}, {"setnx", "setnx"}}) {
    std::vector<std::string> words{"diff", "--baseline", "x.json"};
    words.insert(words.end(), versions.begin(), versions.end());
    CHECK_THAT(run(words).err, Contains("with --baseline FILE name one protocol"));
  }
  CHECK_THAT(run({"diff", "setnx", "setnxx"}).err, Contains("did you mean `setnx`?"));
}

}  // namespace lockstep::tests
