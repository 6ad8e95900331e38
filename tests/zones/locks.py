"""Five lock protocols as timed automata, with two clients, a node and a resource, written by hand:
what the sketch in zones.py explores."""
import collections
import itertools

# The clock of the key's life; 0 is the origin. Those of a client follow: w, z, x, and y of each
# renewal.
KEY = 1
INSIDE = ("read", "work", "rest", "write")
OVER = ("idle", "refused", "done", "dead")
RUNS = ("start", "got", "late", "woken")

# faults: what is left of pause, delay, crash. owner: None, or whose the key is and whether it
# expires.
State = collections.namedtuple("State", "faults owner clients")
# at: where the main task is. msg: its message (request, answer or None, held). lost: requests on
# abandoned connections, and whether held. tasks: of each renewal "-" none, "s" sleeps, "d" due, "w"
# its request is on the way, 0 or 1 that is answered. fired: how often each renewed in this work.
# span: what may be left of work that a pause has divided
Client = collections.namedtuple("Client", "at paused msg lost tasks fired span")


def at_most(x, c):
    return x, 0, c


def at_least(x, c):
    return 0, x, -c


def ask(word):
    return {"at": word, "msg": (word, None, False)}


def put(items, i, item):
    return items[:i] + (item,) + items[i + 1 :]


class Lock:
    """The moves from a state. Each is (guards, clocks reset, next state)."""

    def __init__(self, lease, work, timers=(), deadline=False, timeout=0, two_step=False, poll=0):
        self.lease, self.work, self.timers, self.deadline = lease, work, timers, deadline
        self.timeout, self.two_step, self.poll = timeout, two_step, poll
        self.clocks = 1 + 2 * (3 + len(timers))

    def w(self, c):
        return 2 + c * (3 + len(self.timers))  # since its work began

    def z(self, c):
        return self.w(c) + 1  # since its work went on

    def x(self, c):
        return self.w(c) + 2  # since it read its clock, asked, or fell asleep

    def y(self, c, i):
        return self.w(c) + 3 + i  # since its renewal i fell asleep

    def waits(self, p, c):
        """The timers of client c that run: which task, clock, duration."""
        if p.at == "sleep" or (self.timeout and p.at in ("set", "free")):
            yield "main", self.x(c), self.poll if p.at == "sleep" else self.timeout
        yield from (
            (i, self.y(c, i), self.timers[i]) for i, task in enumerate(p.tasks) if task == "s"
        )

    def largest(self, s):
        """The largest constant that each clock is compared with before it is reset."""
        m = [0] + [-1] * self.clocks
        if s.owner and s.owner[1]:
            m[KEY] = self.lease
        for c, p in enumerate(s.clients):
            if p.at == "work" or (p.at == "rest" and self.timers):
                m[self.w(c)] = self.work
            if p.at == "rest" and not p.paused:
                m[self.z(c)] = self.work
            if self.deadline and p.at in ("start", "set"):
                m[self.x(c)] = self.lease - 1
            for _, clock, length in self.waits(p, c):
                m[clock] = length
        return m

    def bounds(self, s):
        """Until when time may pass: upper bounds of clocks."""
        for c, p in enumerate(s.clients):
            if not p.paused:
                yield from ((clock, length) for _, clock, length in self.waits(p, c))
                if p.at in ("work", "rest"):
                    yield (self.w(c), self.work) if p.at == "work" else (self.z(c), p.span[1])

    def urgent(self, s):
        return any(
            "w" in p.tasks
            or not all(held for _, held in p.lost)
            or (p.msg and not p.msg[2] and (not p.paused or p.msg[1] is None))
            or (not p.paused and (p.at in RUNS or any(task in ("d", 0, 1) for task in p.tasks)))
            for p in s.clients
        )

    def violated(self, s, t):
        inside = [sum(p.at in INSIDE for p in at.clients) for at in (s, t)]
        stays = t.owner and not t.owner[1] and all(p.at in OVER and not p.lost for p in t.clients)
        return "mutual-exclusion" if inside[0] < inside[1] > 1 else "deadlock" if stays else None

    def moves(self, s):
        for c, p in enumerate(s.clients):

            def to(guards=(), resets=(), faults=s.faults, owner=s.owner, **change):
                return guards, resets, State(faults, owner, put(s.clients, c, p._replace(**change)))

            pause, delay, crash = s.faults
            spent = (pause - 1, delay, crash) if pause else None
            yield from self.executions(c, p, s.owner, to)
            yield from self.resumes(c, p, to) if p.paused else self.steps(c, p, to, spent)
            if spent and not p.paused and p.at not in OVER:
                yield self.paused(c, p, to, spent)
            if delay and p.msg and not p.msg[2]:
                yield to(faults=(pause, delay - 1, crash), msg=p.msg[:2] + (True,))
            if p.msg and p.msg[2]:
                yield to(msg=p.msg[:2] + (False,))
            yield from (
                to(lost=put(p.lost, k, (word, False)))
                for k, (word, held) in enumerate(p.lost)
                if held
            )
            if crash and p.at not in ("refused", "done", "dead"):
                yield to(
                    faults=(pause, delay, crash - 1), **self.gone(p, p.msg, at="dead", msg=None)
                )

    def gone(self, p, sent, **change):
        """All tasks stop; what they have asked on connections of their own may still come."""
        lost = (
            p.lost
            + (("renew", False),) * p.tasks.count("w")
            + (((sent[0], sent[2]),) if sent and sent[1] is None else ())
        )
        return dict(
            change,
            lost=tuple(sorted(lost)),
            tasks=("-",) * len(p.tasks),
            fired=(),
            span=(),
            paused=False,
        )

    def enters(self, c, p, to, guards=(), begun=0):
        """Renewals begin (those but the first `begun`), and the critical section."""
        rest = range(begun, len(self.timers))
        return to(
            guards,
            [self.y(c, i) for i in rest],
            **ask("read"),
            span=(),
            tasks=p.tasks[:begun] + ("s",) * len(rest)
        )

    def steps(self, c, p, to, spent):
        """What client c does, being up. With a pause left (`spent`: after it), and what it cuts."""
        x, answer = self.x(c), p.msg[1] if p.msg and not p.msg[2] else None
        if p.at in ("idle", "start", "woken"):
            yield to((), [] if p.at == "start" else [x], **ask("set"))
            if spent and self.deadline and p.at == "idle":
                yield to((), [x], spent, at="start", paused=True)
        elif p.at == "got" or (p.at == "expire" and answer is not None):
            yield self.enters(c, p, to, begun=sum(p.span))
        elif p.at == "late":
            yield to(**ask("free"))
        elif p.at == "set" and answer == 0:
            yield to(
                (),
                [x],
                at="sleep" if self.poll else "done" if self.two_step else "refused",
                msg=None,
            )
        elif p.at == "set" and answer and self.two_step:
            yield to(**ask("expire"))
        elif p.at == "set" and answer:
            timely = [at_most(x, self.lease - 1)] if self.deadline else []
            yield self.enters(c, p, to, timely)
            for k in range(0 if self.deadline else 1, len(self.timers) + 1) if spent else ():
                tasks = ("s",) * k + p.tasks[k:]
                yield to(
                    timely,
                    [self.y(c, i) for i in range(k)],
                    spent,
                    at="got",
                    paused=True,
                    msg=None,
                    tasks=tasks,
                    span=(k,),
                )
            if self.deadline:
                yield to([at_least(x, self.lease)], **ask("free"))
                if spent:
                    yield to([at_least(x, self.lease)], (), spent, at="late", paused=True, msg=None)
        elif p.at == "read" and answer is not None:
            yield to(
                (), [self.w(c)], at="work", msg=None, fired=(0,) * len(self.timers) if spent else ()
            )
        elif p.at == "work":
            yield to([at_least(self.w(c), self.work)], **ask("write"), fired=())
        elif p.at == "rest":
            since = [at_least(self.w(c), self.work)] if self.timers else []
            yield to(
                since + [at_least(self.z(c), p.span[0]), at_most(self.z(c), p.span[1])],
                **ask("write"),
                span=()
            )
        elif p.at == "write" and answer is not None:
            yield to((), [x], **self.gone(p, None, **ask("free")))
        elif p.at == "free" and answer is not None:
            yield to(at="done", msg=None)
        for i, clock, length in self.waits(p, c):
            if i == "main":
                change = ask("set") if p.at == "sleep" else self.gone(p, p.msg, at="done", msg=None)
                yield to([at_least(clock, length)], [x], **change)
        for i, task in enumerate(p.tasks):
            if task in ("s", "d"):
                fired = put(p.fired, i, p.fired[i] + 1) if p.fired else ()
                yield to(
                    [at_least(self.y(c, i), self.timers[i])] if task == "s" else [],
                    tasks=put(p.tasks, i, "w"),
                    fired=fired,
                )
            elif task in (0, 1):
                yield to(
                    (), [self.y(c, i)] if task else [], tasks=put(p.tasks, i, "s" if task else "-")
                )

    def paused(self, c, p, to, spent):
        """No clock of a zone can stop, but work does. So a pause comes right after what the process
        has done last, and what is left of the work is any number down to what there is when its
        next timer is due (docs/time.md, "Where a pause stops work")."""
        if p.at != "work":
            return to(faults=spent, paused=True)
        last = max([n * length for n, length in zip(p.fired, self.timers)], default=0)
        due = min(
            [
                (n + 1) * length
                for n, length, task in zip(p.fired, self.timers, p.tasks)
                if task == "s"
            ],
            default=self.work,
        )
        most = self.work - last
        least = max(0, self.work - due) if self.timers and set(p.tasks) <= {"s", "-"} else most
        return to(
            [at_most(self.w(c), last)],
            (),
            spent,
            at="rest",
            paused=True,
            fired=(),
            span=(least, most),
        )

    def resumes(self, c, p, to):
        """Each timer is over by now, which comes at once, or it is not."""
        runs = list(self.waits(p, c))
        for over in itertools.product((False, True), repeat=len(runs)):
            due = [i for (i, _, _), now in zip(runs, over) if now]
            guards = [
                at_least(clock, length) if i in due else at_most(clock, length - 1)
                for i, clock, length in runs
            ]
            tasks = tuple("d" if i in due else task for i, task in enumerate(p.tasks))
            yield to(
                guards,
                [self.z(c)],
                paused=False,
                tasks=tasks,
                at="woken" if "main" in due else p.at,
            )

    def executions(self, c, p, owner, to):
        """What the node and the resource do. A key that expires is there yet, or has gone."""

        def each(word):
            if word in ("read", "write"):
                yield (), (), owner, 1
            elif owner and owner[1]:
                yield ([at_most(KEY, self.lease)],) + self.on_key(c, word, owner)
                yield ([at_least(KEY, self.lease + 1)],) + self.on_key(c, word, None)
            else:
                yield ((),) + self.on_key(c, word, owner)

        if p.msg and p.msg[1] is None and not p.msg[2]:
            for guards, resets, new, answer in each(p.msg[0]):
                yield to(guards, resets, owner=new, msg=(p.msg[0], answer, False))
        for i in (i for i, task in enumerate(p.tasks) if task == "w"):
            for guards, resets, new, answer in each("renew"):
                yield to(guards, resets, owner=new, tasks=put(p.tasks, i, answer))
        for k in (k for k, (_, held) in enumerate(p.lost) if not held):
            for guards, resets, new, _ in each(p.lost[k][0]):
                yield to(guards, resets, owner=new, lost=p.lost[:k] + p.lost[k + 1 :])

    def on_key(self, c, word, owner):
        """The clocks it resets, whose the key is then, the answer."""
        if word == "set" and not owner:
            return ([], (c, False), 1) if self.two_step else ([KEY], (c, True), 1)
        if word == "set" or not owner or (owner[0] != c and not self.two_step):
            return [], owner, 0
        return ([], None, 1) if word == "free" else ([KEY], (owner[0], True), 1)
