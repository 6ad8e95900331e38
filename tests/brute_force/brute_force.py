"""A third explorer, in a few pages: clients of a lock and one Redis, ms by ms, whole states, breadth first.

It was written from Redis and from what clients, networks and clocks can do, not from docs/semantics.md: what two
readings of that page have wrong in common, this one can show. It knows no Lua: `locks.py` has the protocols.

A step is what happens at once: a process begins, hears a reply or wakes up and runs until it waits; a request is
executed; a fault; the end of a pause; a stretch of time, however long. Time passes only when nobody has anything to do:
messages and programs take none, unless they are held back or paused.
"""
from collections import deque, namedtuple
from functools import lru_cache

class Instant(int):
    """A point of time, counted from now: each millisecond makes it one less."""

    def __add__(self, ms):
        return Instant(int(self) + ms)

class Heard(tuple):
    """All that a process has heard. Two processes are the same if they remember the same, whatever they have heard."""
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0

class Broken(Exception): """The connection is gone. What became of the request?"""
class Lost(Exception): """Somebody in this process says that the lock is lost."""

# stage: new, on, gone. memory: variables and program counters. timers: (task, Instant), or (task, ms) of work in a
# pause. ready: tasks that must go on. freed: whether release() has removed a key that is this client's own.
Client = namedtuple("Client", "stage memory heard timers ready paused offset inside freed")
# One key: its value (None: absent), when it expires by the node's clock, and who made it.
Node = namedtuple("Node", "value expiry maker offset")
# From a task to `to`; reply None: still to be executed. heard: whether anybody waits for the reply.
Message = namedtuple("Message", "who task to words reply held heard connection")
# sessions: (connection, (watching, dirty, queue)) of those that are not as new. budget: faults that may still come.
State = namedtuple("State", "clients node messages sessions budget")
# faults: ((name, how many), ...). anywhere: whether a pause may stop a program before any request, not only behind a
# look at a clock: no verdict may depend on it, but lengths do.
Case = namedtuple("Case", "lock lease work faults jumps anywhere", defaults=((), False))

FRESH = Client("new", (), Heard(), (), (), False, 0, False, False)
SESSION = (False, False, None)
OK, BROKEN, HARM = "OK", "connection error", {"removed", "overwritten", "shortened"}
PROPERTIES = ("mutual-exclusion", "foreign-release", "honest-result", "deadlock")
def later(x):
    """One millisecond on, for all instants in a value."""
    if isinstance(x, tuple):
        return x._make(map(later, x)) if hasattr(x, "_make") else type(x)(map(later, x))
    return x + -1 if isinstance(x, Instant) else x

def oldest(x):
    within = isinstance(x, tuple) and not isinstance(x, Heard)
    return min(map(oldest, x), default=0) if within else x if isinstance(x, Instant) else 0

# ---- Redis

def execute(node, session, who, words):
    """What redis-server does: reply, node, session, and what `who` did to the key ("removed", ...)."""
    watching, dirty, queue = session
    if words[0] == "MULTI":
        return OK, node, (watching, dirty, ()), []
    if words[0] == "EXEC":
        replies, done = [], []
        for queued in queue if not dirty else ():
            reply, node, _, more = execute(node, SESSION, who, queued)
            replies, done = replies + [reply], done + more
        return ("nil" if dirty else tuple(replies)), node, SESSION, done
    if queue is not None:
        return "QUEUED", node, (watching, dirty, queue + (words,)), []
    if words[0] in ("WATCH", "UNWATCH"):
        return OK, node, (True, dirty, None) if words[0] == "WATCH" else SESSION, []
    reply, after, done = command(node, who, *words)
    return reply, after, session, done

def command(node, who, name, *rest):
    there, now = node.value is not None, Instant(node.offset)
    if name == "IF-MINE":  # a script: if GET gives the token, do the rest
        return command(node, who, *rest[1:]) if node.value == rest[0] else (0, node, [])
    if name == "EXISTS":
        return int(there), node, []
    if name == "GET":
        return (node.value if there else "nil"), node, []
    if name == "DEL":
        return int(there), node._replace(value=None, expiry=None, maker=None), ["removed"] * there
    if name == "PEXPIRE":
        shorter = there and (node.expiry is None or now + rest[0] < node.expiry)
        done = ["shortened" if shorter else "extended"] * there
        return int(there), node._replace(expiry=now + rest[0]) if there else node, done
    if there and (name == "SETNX" or "NX" in rest):
        return (0 if name == "SETNX" else "nil"), node, []
    expiry = now + rest[rest.index("PX") + 1] if "PX" in rest else None
    reply = {"SETNX": 1, "SET": OK}.get(name) or (node.value if there else "nil")  # GETSET: the old value
    return reply, node._replace(value=rest[0], expiry=expiry, maker=who), ["overwritten" if there else "made"]

# ---- A client process: its program is run again from the start with all that it has heard

class Process:
    """Tasks are generators. They yield ("ask", where, words), ("rest", ms), ("wall",), ("spawn", generator),
    ("stop", task), ("alive", task), ("lost",) and ("claim", what)."""

    def __init__(self, case, me):
        self.case, self.me, self.tasks, self.waits, self.tokens, self.effects = case, me, {}, {}, 0, []
        self.tasks[0] = case.lock.round_of(self)

    def unique(self):
        self.tokens += 1
        return (self.me, self.tokens)

    def memory(self):
        """Variables, and where each task waits. Nothing else: no lock waits amid an expression or a `for`."""
        frames = []
        for task, generator in sorted(self.tasks.items()):
            while generator is not None:
                variables = {k: v for k, v in generator.gi_frame.f_locals.items() if k not in ("self", "c")}
                frames.append((task, generator.gi_code.co_name, generator.gi_frame.f_lasti, tuple(variables.items())))
                generator = generator.gi_yieldfrom
        own = {k: v for k, v in vars(self).items() if k not in ("case", "me", "tasks", "waits", "effects")}
        return tuple(frames), tuple(sorted(self.waits.items())), tuple(sorted(own.items()))

    def feed(self, task, what, wall, cut):
        """Runs a task until it waits, or before its `cut`-th look at a clock or request does anything about it."""
        self.effects = []
        kind, value = self.waits.pop(task) if what == "go on" else ("value", what)
        while task in self.tasks:
            if kind == "value":
                try:
                    throws = isinstance(value, type) and issubclass(value, Exception)
                    resume = self.tasks[task].throw if throws else self.tasks[task].send
                    kind, value = "op", resume(value)
                except StopIteration:
                    self.end(task)
                    return
                counts = value[0] == "wall" or self.case.anywhere and value[0] == "ask"
                cut -= counts
                if counts and cut == 0:
                    self.waits[task] = ("value", self.at_once(value, wall)) if value[0] == "wall" else ("op", value)
                    self.effects.append(("cut", task))
                    return
            if value[0] in ("ask", "rest"):
                self.effects.append((value[0], task) + value[1:])
                return
            kind, value = "value", self.at_once(value, wall)

    def at_once(self, op, wall):
        if op[0] == "spawn":
            taken = {*self.tasks, *(x for x in vars(self).values() if isinstance(x, int))}  # also names of ended tasks
            task = next(n for n in range(1, 99) if n not in taken)
            self.tasks[task] = op[1]
            self.effects.append(("rest", task, next(op[1])[1]))  # what they all begin with
            return task
        if op[0] == "alive":
            return op[1] in self.tasks
        if op[0] == "stop" and op[1] in self.tasks:
            self.end(op[1])
        elif op[0] == "lost":
            if self.case.lock.may_be_lost(self):
                self.waits[0] = ("value", Lost)
                self.effects.append(("woken", 0))
            return None
        self.effects.append(op)
        return wall if op[0] == "wall" else None

    def end(self, task):
        self.tasks.pop(task), self.waits.pop(task, None)

@lru_cache(maxsize=200000)
def ran(case, me, heard):
    """What the last of these events made the process do, whether any task is left, and what it remembers."""
    process = Process(case, me)
    for event in heard:
        process.feed(*event)
    return tuple(process.effects), bool(process.tasks), process.memory()

# ---- The world: what can happen next

def put(state, who, **fields):
    return state._replace(clients=tuple(c._replace(**fields) if i == who else c for i, c in enumerate(state.clients)))

def exchange(state, message, *others):
    return state._replace(messages=ordered([m for m in state.messages if m != message] + list(others)))

def ordered(items):
    return tuple(sorted(items, key=repr))

def paused(state, who, yes=True):
    """Of a paused process the timer of work (task 0's) stands still; others do not."""
    client, change = state.clients[who], int if yes else Instant
    timers = tuple((task, change(at)) if task == 0 and client.inside else (task, at) for task, at in client.timers)
    return put(state, who, paused=yes, timers=timers)

def spent(state, name):
    return state._replace(budget=tuple((n, left - (n == name)) for n, left in state.budget))
def ended(state, who):
    return put(state, who, **FRESH._replace(stage="gone")._asdict())
def expire(state):
    if state.node.expiry is None or Instant(state.node.offset) <= state.node.expiry:
        return state
    touched = tuple((c, (w, d or w, q)) for c, (w, d, q) in state.sessions)
    return state._replace(node=state.node._replace(value=None, expiry=None, maker=None), sessions=touched)

def tick(state):
    """A timer that is overdue, in a paused process, stays so: how long does not matter."""
    state = later(state)
    after = (c._replace(timers=tuple((t, at if at > 0 else type(at)(0)) for t, at in c.timers)) for c in state.clients)
    return expire(state._replace(clients=tuple(after)))

class World:
    def __init__(self, case):
        self.case = case
        self.horizon = 2 * (case.lease + case.work) + max(map(abs, case.jumps), default=0) + 3

    def next(self, state):
        """All that can happen: what ("tick" or else), the state after it, the properties that it violates."""
        urgent = list(self.urgent(state))
        yield from urgent
        for who, client in enumerate(state.clients):
            if client.stage == "new":
                yield from self.runs(put(state, who, stage="on"), who, 0, None)
            elif client.paused:
                yield "resume", paused(state, who, False), ()
        for message in state.messages:
            if message.held and "old" in message.connection:
                yield self.executed(state, message)
            elif message.held:
                yield "let go", exchange(state, message, message._replace(held=False)), ()
        for name, left in state.budget:
            if left:
                for after in getattr(self, name)(spent(state, name)):
                    yield name, after, ()
        if not urgent and oldest(state) > -self.horizon:
            yield "tick", tick(state), ()

    def urgent(self, state):
        for message in state.messages:
            if not message.held and message.reply is None:
                yield self.executed(state, message)
            elif not message.held and not state.clients[message.who].paused:
                what = Broken if message.reply == BROKEN else message.reply
                yield from self.runs(exchange(state, message), message.who, message.task, what)
        for who, client in enumerate(state.clients):
            if client.paused:
                continue
            for timer in client.timers:
                if timer[1] <= 0:
                    rest = put(state, who, timers=tuple(t for t in client.timers if t != timer))
                    yield from self.runs(rest, who, timer[0], None)
            for task in client.ready:
                rest = put(state, who, ready=tuple(t for t in client.ready if t != task))
                yield from self.runs(rest, who, task, "go on")

    # -- faults: what may come of each

    def pause(self, state):
        return (paused(state, i) for i, c in enumerate(state.clients) if c.stage == "on" and not c.paused)

    def crash(self, state):
        for who, client in enumerate(state.clients):
            if client.stage == "on":
                unheard = (m._replace(heard=m.heard and m.who != who) for m in state.messages)
                left = tuple(m for m in unheard if m.heard or m.reply is None)
                yield ended(state._replace(messages=left), who)

    def delay(self, state):
        return (exchange(state, m, m._replace(held=True)) for m in state.messages if not m.held)

    def lose(self, state):
        for message in state.messages:
            if not message.heard or message.reply == BROKEN:
                continue
            sessions = dict(state.sessions)
            session = sessions.pop(message.connection, None)  # the client will ask on a new connection
            told = message._replace(reply=BROKEN, held=False)
            closed = state._replace(sessions=ordered(sessions.items()))
            yield exchange(closed, message, told)
            if message.reply is None:  # ... or it comes later after all, on the old one
                old = message.connection + ("old",) * (1 + sum(not m.heard for m in state.messages))
                late = message._replace(held=True, heard=False, connection=old)
                kept = closed.sessions + (((old, session),) if session else ())
                yield exchange(closed._replace(sessions=ordered(kept)), message, told, late)

    def jump(self, state):
        for ms in self.case.jumps:
            for who, client in enumerate(state.clients):
                if client.stage != "gone":
                    yield put(state, who, offset=client.offset + ms)
            yield expire(state._replace(node=state.node._replace(offset=state.node.offset + ms)))

    # -- what a node and a program do

    def executed(self, state, message):
        violated, reply = (), OK
        if message.to == "redis":
            sessions, maker = dict(state.sessions), state.node.maker
            session = sessions.pop(message.connection, SESSION)
            reply, node, session, done = execute(state.node, session, message.who, message.words)
            sessions = {c: (w, d or (w and bool(done)), q) for c, (w, d, q) in sessions.items()}
            if session != SESSION and message.heard:
                sessions[message.connection] = session
            state = state._replace(node=node, sessions=ordered(sessions.items()))
            if "removed" in done and maker == message.who:
                state = put(state, maker, freed=state.clients[maker].stage == "on")
            elif HARM.intersection(done) and maker not in (None, message.who) and state.clients[maker].inside:
                violated = ("foreign-release",)
        answers = [message._replace(reply=reply)] if message.heard else []
        return "executed", exchange(state, message, *answers), violated

    def runs(self, state, who, task, what):
        """A task goes on, and, if a pause is left, is stopped at each place where it can be."""
        yield ("runs",) + self.after(state, who, task, what, 0)
        for cut in range(1, 9) if dict(state.budget).get("pause") else ():
            after, violated = self.after(spent(state, "pause"), who, task, what, cut)
            if task not in after.clients[who].ready:
                break
            yield "runs, pauses", paused(after, who), violated

    def after(self, state, who, task, what, cut):
        heard = tuple(state.clients[who].heard) + ((task, what, Instant(state.clients[who].offset), cut),)
        effects, goes_on, memory = ran(self.case, who, heard)
        state, violated = put(state, who, heard=Heard(heard), memory=memory), []
        for kind, *rest in effects:
            client = state.clients[who]
            if kind == "ask":
                state = exchange(state, None, Message(who, *rest, None, False, True, (who, rest[0])))
            elif kind == "rest":
                state = put(state, who, timers=ordered(client.timers + ((rest[0], Instant(rest[1])),)))
            elif kind == "cut":
                state = put(state, who, ready=client.ready + (rest[0],))
            elif kind in ("stop", "woken"):
                state = self.forget(state, who, rest[0])
                if kind == "woken":
                    state = put(state, who, ready=state.clients[who].ready + (rest[0],))
            elif kind == "claim":
                state, broken = self.claimed(state, who, *rest)
                violated += broken
        state = state if goes_on else ended(state, who)
        return state, tuple(violated + ["mutual-exclusion"] * all(c.inside for c in state.clients))

    def forget(self, state, who, task):
        """A task waits no more for its timer or its reply; its request may still be executed."""
        client = state.clients[who]
        state = put(state, who, timers=tuple(t for t in client.timers if t[0] != task),
                    ready=tuple(t for t in client.ready if t != task))
        for message in state.messages:
            if (message.who, message.task) == (who, task) and message.heard:
                unheard = [message._replace(heard=False)] if message.reply is None else []
                state = exchange(state, message, *unheard)
        return state

    def claimed(self, state, who, what, told=None):
        if what == "enters":
            return put(state, who, inside=True), []
        if what == "leaves":
            return put(state, who, inside=False, freed=False), []
        lie = state.node.maker == who if what == "refused" else bool(told) != state.clients[who].freed
        return state, ["honest-result"] * lie

    def deadlocked(self, state):
        """Nobody is at it, nothing is on its way, and a fresh client that asks each ms is refused for ever."""
        at_it = state.messages or any(c.stage == "on" for c in state.clients)
        return not at_it and state.node.value is not None and never(self.case, state.node)

@lru_cache(maxsize=None)
def never(case, node):
    for _ in range(100):  # longer than anything lasts
        process, reply, at = Process(case, 9), None, node
        while True:
            process.feed(0, reply, Instant(0), 0)
            claims = [effect[1] for effect in process.effects if effect[0] == "claim"]
            if claims:
                break
            words = next(effect[3] for effect in process.effects if effect[0] == "ask")
            reply, at, _, _ = execute(at, SESSION, 9, words)
        if claims == ["enters"]:
            return False
        node = expire(later(State((), at, (), (), ()))).node
    return True

def explore(case):
    """For each property the length of a shortest run that breaks it, or None; and how many states there are."""
    world, first, closed = World(case), {}, set()
    start = (State((FRESH, FRESH), Node(None, None, None, 0), (), (), case.faults), False)  # was the last step of time?
    best, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        if at in closed:
            continue
        closed.add(at)
        (state, timed), steps = at, best[at]
        if "deadlock" not in first and world.deadlocked(state):
            first["deadlock"] = steps
        for what, after, violated in world.next(state):
            cost = 0 if what == "tick" and timed else 1  # a stretch of time is one step
            for name in violated:
                first[name] = min(steps + cost, first.get(name, 1 << 30))
            there = (after, what == "tick")
            if steps + cost < best.get(there, 1 << 30):
                best[there] = steps + cost
                (queue.append if cost else queue.appendleft)(there)
    return {name: first.get(name) for name in PROPERTIES}, len({state for state, _ in closed})
