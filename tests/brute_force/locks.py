"""Eight protocols of protocols/, written down again by hand, as what brute_force.Process runs."""
from brute_force import Broken, Lost

NIL, OK = "nil", "OK"

def redis(*words):
    return (yield "ask", "redis", words)

class Lock:
    """A lock, and a client's round with it: lock, work, unlock. An operation that ends in an error claims nothing."""

    def round_of(self, c):
        c.inside = False
        try:
            has_it = yield from self.acquire(c)
        except Broken:
            return
        if not has_it:
            yield "claim", "refused"
            return
        c.inside = True
        yield "claim", "enters"
        try:
            yield "ask", "resource", ("READ",)
            yield "rest", c.case.work
            yield "ask", "resource", ("WRITE",)
        except (Broken, Lost):
            pass
        c.inside = False
        yield "claim", "leaves"
        try:
            told = yield from self.release(c)
        except Broken:
            return
        yield "claim", "told", told

    def may_be_lost(self, c):
        return c.inside

class ExistsSet(Lock):
    name = "exists-set"

    def acquire(self, c):
        if (yield from redis("EXISTS")) == 1:
            return False
        yield from redis("SET", "1")
        return True

    def release(self, c):
        return (yield from redis("DEL")) == 1

class SetnxExpire(ExistsSet):
    name = "setnx-expire"

    def acquire(self, c):
        if (yield from redis("SETNX", "1")) == 0:
            return False
        yield from redis("PEXPIRE", c.case.lease)
        return True

class SetTokenLua(Lock):
    name = "set-token-lua"

    def acquire(self, c):
        c.token = c.unique()
        return (yield from redis("SET", c.token, "NX", "PX", c.case.lease)) == OK

    def release(self, c):
        return (yield from redis("IF-MINE", c.token, "DEL")) == 1

class SetTokenGetDel(SetTokenLua):
    name = "set-token-get-del"

    def release(self, c):
        if (yield from redis("GET")) == c.token:
            return (yield from redis("DEL")) == 1
        return False

class WatchMultiDel(SetTokenLua):
    name = "watch-multi-del"

    def release(self, c):
        yield from redis("WATCH")
        if (yield from redis("GET")) != c.token:
            yield from redis("UNWATCH")
            return False
        yield from redis("MULTI")
        yield from redis("DEL")
        replies = yield from redis("EXEC")
        return replies != NIL and replies[0] == 1

class SetClockDel(ExistsSet):
    name = "set-clock-del"

    def acquire(self, c):
        c.deadline = (yield "wall",) + c.case.lease
        return (yield from redis("SET", "1", "NX", "PX", c.case.lease)) == OK

    def release(self, c):
        if (yield "wall",) < c.deadline:
            return (yield from redis("DEL")) == 1
        return False

class SetnxGetset(Lock):
    """The value says when the lock ends, by its maker's clock, and 1 ms later."""
    name = "setnx-getset"

    def acquire(self, c):
        try:
            return (yield from self.try_lock(c))
        except Broken:
            return False

    def try_lock(self, c):
        now = yield "wall",
        value = now + c.case.lease + 1
        if (yield from redis("SETNX", value)) == 0:
            old = yield from redis("GET")
            if old == NIL or not old < now:
                return False
            if (yield from redis("GETSET", value)) != old:
                return False
        yield from redis("PEXPIRE", c.case.lease)
        return True

    def release(self, c):
        yield from redis("DEL")
        return True

class Watchdog(SetTokenLua):
    """A task renews at each third of the lease; another tells the holder, one lease after the last that came back."""
    name = "watchdog"

    def acquire(self, c):
        c.token = c.unique()
        c.deadline, c.next_deadline, c.renewal = (yield from self.deadline(c)), None, None
        try:
            reply = yield from redis("SET", c.token, "NX", "PX", c.case.lease)
        except Broken:
            reply = None
        if reply == OK and (yield "alive", c.deadline):
            c.renewal = yield "spawn", self.renews(c)
            return True
        yield from self.release(c)
        return False

    def deadline(self, c):
        return (yield "spawn", self.tells(c))

    def tells(self, c):
        yield "rest", c.case.lease
        yield ("lost",)

    def renews(self, c):
        while True:
            yield "rest", c.case.lease // 3
            c.next_deadline = yield from self.deadline(c)
            try:
                reply = yield from redis("IF-MINE", c.token, "PEXPIRE", c.case.lease)
            except Broken:
                reply = None
            yield "stop", c.deadline if reply == 1 else c.next_deadline
            if reply == 1:
                c.deadline = c.next_deadline
            c.next_deadline = None
            if reply == 0:
                yield ("lost",)
                return

    def release(self, c):
        for task in (c.renewal, c.deadline, c.next_deadline):
            if task is not None:
                yield "stop", task
        return (yield from redis("IF-MINE", c.token, "DEL")) == 1
