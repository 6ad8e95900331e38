#!/usr/bin/env python3
"""Zones for five lock protocols: a sketch to measure against corner points (docs/time.md).

A state is what is discrete, and a zone: a difference-bound matrix of the clocks in whole ms
(x_i - x_j <= c, never strict). All delays are taken at once, what lies above the largest constant
that a clock is still compared with is given up (Extra+M, by location), and a zone within a known
one is dropped. --points explores the same model with one integer for each clock.

  zones.py plain --stop                        until mutual exclusion is violated
  zones.py renew --lease 30000 --timers 100    all of it, with other durations
  zones.py renew --lease 10 --work 3 --check   do zones and points reach the same discrete parts?
"""
import argparse
import collections
import sys
import time

from locks import KEY, Client, Lock, State
from matrices import Points, Zones


def covers(a, b):
    return all(x >= y for x, y in zip(a, b))


def explore(lock, start, zones, stop, step, seconds=100):
    begun, passed, queue, count, bad = (
        time.monotonic(),
        {},
        collections.deque(),
        collections.Counter(),
        {},
    )

    def arrive(s, d, depth):
        if s.owner and s.owner[1] and zones.least(d, KEY) > lock.lease:
            s = s._replace(owner=None)
        if not lock.urgent(s):
            zones.delay(d, lock.bounds(s))
        zones.extrapolate(d, lock.largest(s))
        d, known = tuple(d), passed.setdefault(s, {})
        if d in known or (type(zones) is Zones and any(covers(k, d) for k in known)):
            return
        for k in [k for k in known if covers(d, k)] if type(zones) is Zones else ():
            del known[k]
        known[d] = True
        queue.append((s, d, depth))

    arrive(start, zones.zero(), 0)
    while queue and not (bad and stop) and time.monotonic() - begun < seconds:
        s, d, depth = queue.popleft()
        if d not in passed[s]:
            continue  # it lies in a larger one that came later
        count["explored"] += 1
        read = lock.largest(s)
        later = [v + step for v in d] if type(zones) is Points and not lock.urgent(s) else None
        if later and all(later[x] <= c for x, c in lock.bounds(s)):
            arrive(s, [0] + later[1:], depth + 1)
        for guards, resets, t in lock.moves(s):
            e = list(d)
            if not all(zones.constrain(e, *guard) for guard in guards):
                continue
            count["moves"] += 1
            assert all(read[i] >= 0 for guard in guards for i in guard[:2]), s
            assert all(
                m < 0 or x in resets or read[x] >= m for x, m in enumerate(lock.largest(t))
            ), (s, t)
            for x in resets:
                zones.reset(e, x)
            bad.setdefault(lock.violated(s, t), depth + 1)
            bad.pop(None, None)
            arrive(t, e, depth + 1)
    count["kept"] = sum(map(len, passed.values()))
    verdict = (
        "violated " + ", ".join("%s (%d moves)" % item for item in bad.items()) if bad else "holds"
    )
    return (
        verdict + (", not all of it" if queue and not bad else ""),
        passed,
        count,
        time.monotonic() - begun,
    )


def main():
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("protocol", choices=("plain", "renew", "deadline", "delay", "twostep"))
    for name, usual in dict(lease=10000, work=3000, timeout=50, poll=0, faults=1, step=1).items():
        parse.add_argument("--" + name, type=int, default=usual)
    parse.add_argument("--timers", help="of renew, with commas; usually a third of the lease")
    parse.add_argument("--stop", action="store_true", help="at a violation")
    parse.add_argument(
        "--points",
        action="store_true",
        help="integers instead of zones; time in steps of --step ms",
    )
    parse.add_argument("--check", action="store_true", help="both, and whether they reach the same")
    a = parse.parse_args()
    kinds = {
        "plain": {},
        "renew": {"timers": tuple(map(int, a.timers.split(","))) if a.timers else (a.lease // 3,)},
        "deadline": {"deadline": True},
        "delay": {"timeout": a.timeout},
        "twostep": {"two_step": True},
    }
    lock, reached = Lock(a.lease, a.work, poll=a.poll, **kinds[a.protocol]), []
    start = Client("idle", False, None, (), ("-",) * len(lock.timers), (), ())
    faults = {"delay": (0, a.faults, 0), "twostep": (0, 0, a.faults)}.get(
        a.protocol, (a.faults, 0, 0)
    )
    for way in [Zones, Points] if a.check else [Points if a.points else Zones]:
        verdict, passed, count, seconds = explore(
            lock, State(faults, None, (start, start)), way(lock.clocks), a.stop, a.step
        )
        print(
            "%s: %s: %d %s explored, %d kept, %d discrete, %d moves, %.2f s, %d clocks"
            % (
                a.protocol,
                verdict,
                count["explored"],
                way.__name__.lower(),
                count["kept"],
                len(passed),
                count["moves"],
                seconds,
                lock.clocks,
            )
        )
        width = (
            lock.clocks + 1 if way is Zones else 1
        )  # a zone may hold both: a key that is there, and one that has gone
        reached.append(
            set(passed)
            | {
                s._replace(owner=None)
                for s, known in passed.items()
                if s.owner and s.owner[1] and any(d[KEY * width] > lock.lease for d in known)
            }
        )
    if a.check:
        print(
            "the same"
            if reached[0] == reached[1]
            else "DIFFER, by %d" % len(reached[0] ^ reached[1])
        )
    return reached[0] != reached[-1]


if __name__ == "__main__":
    sys.exit(main())
