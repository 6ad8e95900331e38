// lockstep in a hundred lines: one lock (SET key me NX PX 3; DEL), two clients, one fault (a
// pause), every order of events, and the shortest run that breaks mutual exclusion. The real one
// runs your scripts instead of `apply`.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kClients = 2, kLease = 3, kWork = 2;  // in ticks of time

// ---- the world, as a value: equal worlds behave equally. Times are what is left of them, never
// absolute.

enum Stage : char {
  idle,
  asks,
  asked,
  holds,
  done
};  // asks: the request is on its way; asked: so is the reply
struct Client {
  Stage stage = idle;
  bool paused = false, granted = false;
  int work_left = 0;
  auto operator<=>(const Client&) const = default;
};
struct World {
  Client client[kClients];
  int owner = -1,
      ttl = 0;          // the key: who made it, and what is left of its lease; -1: there is none
  int pauses_left = 0;  // the fault's budget
  auto operator<=>(const World&) const = default;
};

// ---- what can happen in it

struct Action {
  std::string name;
  bool urgent;  // must happen before time passes; the others need not happen at all
  World next;
};

std::vector<Action> actions(const World& world) {
  std::vector<Action> found;
  const auto add = [&](int who, const char* what, bool urgent, auto change) {
    Action action{(who < 0 ? "time " : std::string(1, static_cast<char>('A' + who)) + " ") + what,
                  urgent, world};
    change(action.next);
    found.push_back(action);
  };
  for (int c = 0; c < kClients; ++c) {
    const Client& client = world.client[c];
    const bool up = !client.paused;
    if (client.stage == idle)
      add(c, "sends SET NX PX", false, [c](World& w) { w.client[c].stage = asks; });
    if (client.stage == asks)  // the node executes what was sent, whether or not the client sleeps
      add(c, "has its SET executed", true, [c](World& w) {
        w.client[c].stage = asked;
        w.client[c].granted = w.owner < 0;
        if (w.owner < 0) w.owner = c, w.ttl = kLease;
      });
    if (client.stage == asked && up)
      add(c, client.granted ? "hears OK and begins its work" : "hears nil and gives up", true,
          [c](World& w) {
            w.client[c].stage = w.client[c].granted ? holds : done;
            w.client[c].work_left = w.client[c].granted ? kWork : 0;
          });
    if (client.stage == holds && up && client.work_left == 0)
      add(c, "has finished and sends DEL", true, [c](World& w) {
        w.client[c] = {done, false, false, 0};
        w.owner = -1, w.ttl = 0;  // whoever's it is: a second bug, which a token would mend
      });
    if (up && client.stage != idle && client.stage != done && world.pauses_left > 0)
      add(c, "pauses", false, [c](World& w) { w.client[c].paused = true, --w.pauses_left; });
    if (!up) add(c, "resumes", false, [c](World& w) { w.client[c].paused = false; });
  }
  const bool urgent =
      std::any_of(found.begin(), found.end(), [](const Action& a) { return a.urgent; });
  const bool ahead =
      world.owner >= 0 || std::any_of(std::begin(world.client), std::end(world.client),
                                      [](const Client& c) { return c.work_left > 0; });
  if (!urgent && ahead)
    add(-1, "passes", false, [](World& w) {
      if (w.owner >= 0 && --w.ttl == 0) w.owner = -1;
      for (Client& c : w.client)
        if (c.work_left > 0 && !c.paused)
          --c.work_left;  // work stands still in a pause, the lease does not
    });
  return found;
}

bool both_inside(const World& world) {
  return std::all_of(std::begin(world.client), std::end(world.client),
                     [](const Client& c) { return c.stage == holds; });
}

// ---- the search: breadth first, so that the first violation is a shortest one

void check(int pauses) {
  World start;
  start.pauses_left = pauses;
  struct Came {
    World from;
    std::string by;
  };
  std::map<World, Came> seen{{start, {}}};
  std::vector<World> queue{start};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const Action& action : actions(queue[next])) {
      if (!seen.try_emplace(action.next, Came{queue[next], action.name}).second) continue;
      queue.push_back(action.next);
      if (!both_inside(action.next)) continue;
      std::vector<std::string> steps;
      for (World at = action.next; at != start; at = seen[at].from) steps.push_back(seen[at].by);
      std::printf("at most %d pauses: VIOLATED, after %zu steps\n", pauses, steps.size());
      for (std::size_t i = steps.size(); i-- > 0;)
        std::printf("%4zu  %s\n", steps.size() - i, steps[i].c_str());
      return;
    }
  }
  std::printf("at most %d pauses: HOLDS, in all %zu worlds\n", pauses, seen.size());
}

}  // namespace

int main() {
  check(0);
  check(1);
}
