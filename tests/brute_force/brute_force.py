"""A third explorer, in a few pages: clients of a lock and one Redis, millisecond by millisecond, whole states, breadth first.

It was written from Redis and from what clients, networks and clocks can do, not from docs/semantics.md: what two readings of
that page have wrong in common, this one can show. It knows no Lua: the protocols are written down again in `locks.py`.

A step is what happens at once: a process begins, hears a reply or wakes up and runs until it waits; a request is executed; a
fault; the end of a pause; a stretch of time, however long. Time passes only when nobody has anything to do: messages and
programs take none, unless they are held back or paused.
"""
from collections import deque, namedtuple
from functools import lru_cache


class Instant(int):
    """A point of time, counted from now: each millisecond makes it one less."""

    def __add__(self, ms):
        return Instant(int(self) + ms)

    def __sub__(self, other):
        return int(self) - int(other) if isinstance(other, Instant) else Instant(int(self) - other)


class Heard(tuple):
    """All that a process has heard. Two processes are the same if they remember the same, whatever they have heard."""
    __slots__ = ()
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0


class Broken(Exception):
    """The connection is gone, and nobody can tell what became of the request."""


class Lost(Exception):
    """Somebody in this process says that the lock is lost."""


# stage: new, on, gone. memory: variables and program counters. timers: (task, Instant), or (task, ms) of work that stands still. ready: tasks that must go on.
Client = namedtuple("Client", "stage memory heard timers ready paused offset inside freed")
# One key: its value (None: absent), when it expires by the node's clock, and who made it.
Node = namedtuple("Node", "value expiry maker offset")
# From a task to `to`; reply None: still to be executed. heard: whether anybody waits for the reply.
Message = namedtuple("Message", "who task to words reply held heard connection")
# sessions: (connection, (watching, dirty, queue)) of those that are not as new. budget: faults that may still come.
State = namedtuple("State", "clients node messages sessions budget")
# faults: ((name, how many), ...). anywhere: whether a pause may stop a program before any request, not only behind a look
# at a clock: no verdict may depend on it, but lengths do.
Case = namedtuple("Case", "lock lease work faults jumps anywhere", defaults=((), False))

FRESH = Client("new", (), Heard(), (), (), False, 0, False, False)
SESSION = (False, False, None)
HARM = {"removed", "overwritten", "shortened"}
OK, BROKEN = "OK", "connection error"
PROPERTIES = ("mutual-exclusion", "foreign-release", "honest-result", "deadlock")


def later(x):
    """One millisecond on, for all instants in a value."""
    if isinstance(x, Instant):
        return Instant(int(x) - 1)
    if isinstance(x, tuple):
        return x._make(map(later, x)) if hasattr(x, "_make") else type(x)(map(later, x))
    return x


def oldest(x):
    if isinstance(x, Instant):
        return int(x)
    return min(map(oldest, x), default=0) if isinstance(x, tuple) and not isinstance(x, Heard) else 0


# ---- Redis ------------------------------------------------------------------------------------------------------------

def execute(node, session, who, words):
    """What redis-server does: reply, node, session, and what `who` did to the key of its maker ("removed", ...)."""
    watching, dirty, queue = session
    name, *rest = words
    if name == "MULTI":
        return OK, node, (watching, dirty, ()), []
    if name == "EXEC":
        replies, done = [], []
        for queued in queue if not dirty else ():
            reply, node, _, more = execute(node, SESSION, who, queued)
            replies.append(reply)
            done += more
        return ("nil" if dirty else tuple(replies)), node, SESSION, done
    if queue is not None:
        return "QUEUED", node, (watching, dirty, queue + (words,)), []
    if name == "WATCH":
        return OK, node, (True, dirty, None), []
    if name == "UNWATCH":
        return OK, node, SESSION, []
    reply, after, done = command(node, who, name, rest)
    return reply, after, session, done


def command(node, who, name, rest):
    there, now = node.value is not None, Instant(node.offset)
    gone = node._replace(value=None, expiry=None, maker=None)
    if name == "IF-MINE":  # a script: if GET gives the token, do the rest
        token, *then = rest
        return command(node, who, then[0], then[1:]) if node.value == token else (0, node, [])
    if name == "EXISTS":
        return int(there), node, []
    if name == "GET":
        return (node.value if there else "nil"), node, []
    if name == "DEL":
        return int(there), gone, ["removed"] * there
    if name == "PEXPIRE":
        if not there:
            return 0, node, []
        expiry = now + rest[0]
        shorter = node.expiry is None or expiry < node.expiry
        return 1, node._replace(expiry=expiry), ["shortened" if shorter else "extended"]
    if name == "SETNX" and there:
        return 0, node, []
    if name == "SET" and "NX" in rest and there:
        return "nil", node, []
    expiry = now + rest[rest.index("PX") + 1] if "PX" in rest else None
    reply = {"SETNX": 1, "SET": OK}.get(name) or (node.value if there else "nil")  # GETSET: the old value
    return reply, node._replace(value=rest[0], expiry=expiry, maker=who), ["overwritten" if there else "made"]


# ---- A client process: its program is run again from the start with all that it has heard ------------------------------

class Process:
    """Tasks are generators. They yield ("ask", where, words), ("rest", ms), ("wall",), ("spawn", generator), ("stop", task),
    ("alive", task), ("lost",) and ("claim", what)."""

    def __init__(self, case, me):
        self.case, self.me, self.tasks, self.waits, self.tokens, self.effects = case, me, {}, {}, 0, []
        self.spawn(case.lock.round_of(self))

    def unique(self):
        self.tokens += 1
        return (self.me, self.tokens)

    def spawn(self, generator):
        taken = {*self.tasks, *(x for x in vars(self).values() if isinstance(x, int))}  # also by what names an ended one
        task = next(n for n in range(99) if n not in taken or not self.tasks)
        self.tasks[task] = generator
        return task

    def memory(self):
        """Variables, and where each task waits. (Nothing else: no lock of `locks.py` waits amid an expression or a `for`.)"""
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
                    generator = self.tasks[task]
                    throws = isinstance(value, type) and issubclass(value, Exception)
                    value = generator.throw(value()) if throws else generator.send(value)
                except StopIteration:
                    self.end(task)
                    return
                kind, counts = "op", value[0] == "wall" or self.case.anywhere and value[0] == "ask"
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
        if op[0] == "wall":
            self.effects.append(op)
            return wall
        if op[0] == "spawn":
            task = self.spawn(op[1])
            self.feed_new(task)
            return task
        if op[0] == "alive":
            return op[1] in self.tasks
        if op[0] == "stop":
            if op[1] in self.tasks:
                self.end(op[1])
                self.effects.append(op)
        elif op[0] == "lost":
            if self.case.lock.may_be_lost(self):
                self.waits[0] = ("value", Lost)
                self.effects.append(("woken", 0))
        else:
            self.effects.append(op)
        return None

    def feed_new(self, task):
        """A new task runs up to its first wait: here always a rest."""
        self.waits[task] = next(self.tasks[task])
        self.effects.append(("rest", task, self.waits[task][1]))

    def end(self, task):
        del self.tasks[task]
        self.waits.pop(task, None)


@lru_cache(maxsize=200000)
def ran(case, me, heard):
    """What the last of these events made the process do, whether any task is left, and what it remembers."""
    process = Process(case, me)
    for event in heard:
        process.feed(*event)
    return tuple(process.effects), bool(process.tasks), process.memory()


# ---- The world: what can happen next -----------------------------------------------------------------------------------

class World:
    def __init__(self, case):
        self.case = case
        self.horizon = 2 * (case.lease + case.work) + max(map(abs, case.jumps), default=0) + 3

    def start(self):
        return State((FRESH, FRESH), Node(None, None, None, 0), (), (), self.case.faults)

    def next(self, state):
        """(what happened: "tick" or else, state, violated properties)"""
        urgent = []
        for message in state.messages:
            if message.held:
                continue
            if message.reply is None:
                urgent.append(self.executed(state, message))
            elif not state.clients[message.who].paused:
                rest = self.without(state, message)
                what = Broken if message.reply == BROKEN else message.reply
                urgent += self.runs(rest, message.who, message.task, what)
        for who, client in enumerate(state.clients):
            if client.paused:
                continue
            for timer in client.timers:
                if timer[1] <= 0:
                    rest = self.put(state, who, timers=tuple(t for t in client.timers if t != timer))
                    urgent += self.runs(rest, who, timer[0], None)
            for task in client.ready:
                rest = self.put(state, who, ready=tuple(t for t in client.ready if t != task))
                urgent += self.runs(rest, who, task, "go on")
        yield from urgent
        for who, client in enumerate(state.clients):
            if client.stage == "new":
                yield from self.runs(self.put(state, who, stage="on"), who, 0, None)
            elif client.paused:
                yield "resume", self.put(state, who, paused=False, timers=self.working(client, False)), ()
        for message in state.messages:
            if message.held:
                yield "let go", self.exchange(state, message, message._replace(held=False)), ()
        for name, left in state.budget:
            if left:
                spent = state._replace(budget=tuple((n, l - (n == name)) for n, l in state.budget))
                yield from getattr(self, name)(spent)
        if not urgent and oldest(state) > -self.horizon:
            yield "tick", self.expire(self.tick(state)), ()

    # -- faults: each takes a state whose budget is already less

    def pause(self, state):
        for who, client in enumerate(state.clients):
            if client.stage == "on" and not client.paused:
                yield "pause", self.paused(state, who), ()

    def crash(self, state):
        for who, client in enumerate(state.clients):
            if client.stage == "on":
                unheard = tuple(m._replace(heard=m.heard and m.who != who) for m in state.messages)
                state_after = state._replace(messages=tuple(m for m in unheard if m.heard or m.reply is None))
                yield "crash", self.put(state_after, who, **FRESH._replace(stage="gone")._asdict()), ()

    def delay(self, state):
        for message in state.messages:
            if not message.held:
                yield "held back", self.exchange(state, message, message._replace(held=True)), ()

    def lose(self, state):
        for message in state.messages:
            if not message.heard or message.reply == BROKEN:
                continue
            sessions = dict(state.sessions)
            session = sessions.pop(message.connection, None)  # the client will ask on a new connection
            told = message._replace(reply=BROKEN, held=False)
            closed = state._replace(sessions=tuple(sorted(sessions.items(), key=repr)))
            yield "lost", self.exchange(closed, message, told), ()
            if message.reply is None:  # ... or it comes later after all, on the old one
                old = message.connection + ("old",) * (1 + sum(not m.heard for m in state.messages))
                late = message._replace(held=True, heard=False, connection=old)
                kept = closed._replace(sessions=closed.sessions + (((old, session),) if session else ()))
                yield "broken", self.exchange(kept, message, told, late), ()

    def jump(self, state):
        for ms in self.case.jumps:
            for who, client in enumerate(state.clients):
                if client.stage != "gone":
                    yield "jump", self.put(state, who, offset=client.offset + ms), ()
            node = state.node._replace(offset=state.node.offset + ms)
            yield "jump", self.expire(state._replace(node=node)), ()

    # -- what they are made of

    @staticmethod
    def tick(state):
        """A timer that is overdue, in a paused process, stays so: how long does not matter."""
        state = later(state)
        overdue = any(t[1] < 0 for c in state.clients for t in c.timers)
        return state if not overdue else state._replace(clients=tuple(
            c._replace(timers=tuple((t, max(Instant(0), at)) for t, at in c.timers)) for c in state.clients))

    @staticmethod
    def put(state, who, **fields):
        return state._replace(clients=tuple(c._replace(**fields) if i == who else c for i, c in enumerate(state.clients)))

    @staticmethod
    def exchange(state, message, *others):
        messages = [m for m in state.messages if m != message] + list(others)
        return state._replace(messages=tuple(sorted(messages, key=repr)))

    without = exchange

    @staticmethod
    def working(client, stands_still):
        """The timer of work (task 0's) stands still in a pause; others do not."""
        change = (lambda t: int(t)) if stands_still else Instant
        return tuple((task, change(t)) if task == 0 and client.inside else (task, t) for task, t in client.timers)

    def paused(self, state, who):
        client = state.clients[who]
        return self.put(state, who, paused=True, timers=self.working(client, True))

    @staticmethod
    def expire(state):
        node = state.node
        if node.expiry is None or Instant(node.offset) <= node.expiry:
            return state
        touched = tuple((c, (w, d or w, q)) for c, (w, d, q) in state.sessions)
        return state._replace(node=node._replace(value=None, expiry=None, maker=None), sessions=touched)

    def executed(self, state, message):
        if message.to == "resource":
            return "executed", self.answered(state, message, OK), ()
        sessions, maker = dict(state.sessions), state.node.maker
        session = sessions.pop(message.connection, SESSION)
        reply, node, session, done = execute(state.node, session, message.who, message.words)
        sessions = {c: (w, d or (w and bool(done)), q) for c, (w, d, q) in sessions.items()}
        if session != SESSION and message.heard:
            sessions[message.connection] = session
        state = state._replace(node=node, sessions=tuple(sorted(sessions.items(), key=repr)))
        violated = ()
        if done and maker == message.who:
            if "removed" in done:
                state = self.put(state, maker, freed=state.clients[maker].stage == "on")
        elif HARM.intersection(done) and maker is not None and state.clients[maker].inside:
            violated = ("foreign-release",)
        return "executed", self.answered(state, message, reply), violated

    def answered(self, state, message, reply):
        answers = [message._replace(reply=reply)] if message.heard else []
        return self.exchange(state, message, *answers)

    def runs(self, state, who, task, what):
        """A task goes on, and, if a pause is left, is stopped at each place where it can be."""
        yield ("runs",) + self.after(state, who, task, what, 0)
        if dict(state.budget).get("pause"):
            spent = state._replace(budget=tuple((n, l - (n == "pause")) for n, l in state.budget))
            for cut in range(1, 9):
                after, violated = self.after(spent, who, task, what, cut)
                if task not in after.clients[who].ready:
                    break
                yield "runs and is paused", self.paused(after, who), violated

    def after(self, state, who, task, what, cut):
        client, violated = state.clients[who], []
        heard = tuple(client.heard) + ((task, what, Instant(client.offset), cut),)
        effects, goes_on, memory = ran(self.case, who, heard)
        state = self.put(state, who, heard=Heard(heard), memory=memory)
        for kind, *rest in effects:
            client = state.clients[who]
            if kind == "ask":
                state = self.exchange(state, None, Message(who, *rest, None, False, True, (who, rest[0])))
            elif kind == "rest":
                state = self.put(state, who, timers=tuple(sorted(client.timers + ((rest[0], Instant(rest[1])),))))
            elif kind == "wall":
                pass
            elif kind == "cut":
                state = self.put(state, who, ready=client.ready + (rest[0],))
            elif kind in ("stop", "woken"):
                state = self.forget(state, who, rest[0])
                if kind == "woken":
                    state = self.put(state, who, ready=tuple(sorted({*state.clients[who].ready, rest[0]})))
            else:
                state, broken = self.claimed(state, who, rest)
                violated += broken
        if not goes_on:
            state = self.put(state, who, **FRESH._replace(stage="gone")._asdict())
        if all(c.inside for c in state.clients):
            violated.append("mutual-exclusion")
        return state, tuple(violated)

    def forget(self, state, who, task):
        """A task waits no more for its timer or its reply; its request may still be executed."""
        client = state.clients[who]
        state = self.put(state, who, timers=tuple(t for t in client.timers if t[0] != task),
                         ready=tuple(t for t in client.ready if t != task))
        for message in state.messages:
            if (message.who, message.task) == (who, task) and message.heard:
                unheard = [message._replace(heard=False)] if message.reply is None else []
                state = self.exchange(state, message, *unheard)
        return state

    def claimed(self, state, who, claim):
        what, *told = claim
        if what == "enters":
            return self.put(state, who, inside=True), []
        if what == "leaves":
            return self.put(state, who, inside=False, freed=False), []
        if what == "refused":  # acquire() has said no, or has ended in an error
            return state, ["honest-result"] * (state.node.maker == who)
        return state, ["honest-result"] * (bool(told[0]) != state.clients[who].freed)

    # -- the property of a state

    def deadlocked(self, state):
        on = any(c.stage == "on" for c in state.clients)
        return not on and not state.messages and state.node.value is not None and never(self.case, state.node)


@lru_cache(maxsize=None)
def never(case, node):
    """Whether a fresh client that asks every millisecond is refused for as long as anything can last."""
    for _ in range(100):
        at = node
        process, fed = Process(case, 9), None
        while True:
            process.feed(0, fed, Instant(0), 0)
            claims = [e[1] for e in process.effects if e[0] == "claim"]
            if "enters" in claims:
                return False
            if "refused" in claims:
                break
            words = next(e[3] for e in process.effects if e[0] == "ask")
            fed, at, _, _ = execute(at, SESSION, 9, words)
        state = World.expire(later(State((), at, (), (), ())))
        node = state.node
    return True


def explore(case):
    """For each property the length of a shortest run that breaks it, or None; and how many states there are."""
    world = World(case)
    start = (world.start(), False)  # with whether the last step was one of time
    best, first, queue = {start: 0}, {}, deque([start])
    closed = set()
    while queue:
        at = queue.popleft()
        if at in closed:
            continue
        closed.add(at)
        state, timed = at
        steps = best[at]
        if "deadlock" not in first and world.deadlocked(state):
            first["deadlock"] = steps
        for what, after, violated in world.next(state):
            cost = 0 if what == "tick" and timed else 1
            for name in violated:
                first[name] = min(steps + cost, first.get(name, 1 << 30))
            there = (after, what == "tick")
            if steps + cost < best.get(there, 1 << 30):
                best[there] = steps + cost
                (queue.append if cost else queue.appendleft)(there)
    return {name: first.get(name) for name in PROPERTIES}, len({state for state, _ in closed})
