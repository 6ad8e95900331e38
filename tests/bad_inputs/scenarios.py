"""Scenarios: each field with what does not belong there, left out, twice, mistyped; no JSON at all;
references to what is not there; schedules that cannot come about."""
import copy

import documents
from case import ANY, Case, REFUSED, SHORT, mistyped

SEARCH = {
    "$schema": "scenario.schema.json", "title": "t", "source": "s", "why": "w",
    "protocol": "set-token-lua", "kind": "search",
    "roles": {"client": {"workload": ["lock", "work 3000", "unlock"], "rounds": 1, "threads": 1}},
    "clients": ["client", "client"], "lease_ms": 10000, "request_timeout_ms": 50,
    "pause_max_ms": 100, "latency_ms": 0, "clocks_ms": [0, 5], "node_clocks_ms": [7],
    "drifts_ppm": [0], "node_drifts_ppm": [0], "distinct_micros": False, "jumps_ms": [5000],
    "server": "redis-7.0", "draw_seed": 5, "persistence": "none", "resource": "plain",
    "faults": {"pause": 1, "node-crash": 0}, "properties": ["mutual-exclusion", "waits"],
    "waits": {"ms": 60000, "after": "call"}, "overtakes": 9, "witnesses": ["acquired"],
    "bounds": {"max_states": 200, "max_seconds": 1, "max_memory_mb": 500},
    "expect": {"verdict": "violated", "property": "mutual-exclusion", "steps": 9},
}
SCHEDULE = {
    "title": "t", "source": "s", "why": "w", "protocol": "fencing", "kind": "schedule",
    "clients": 2, "resource": "fenced", "properties": ["no-lost-update"],
    "steps": ["A acquires", "A pauses", "time passes until lock expires", "B acquires",
              "B finishes", "A resumes", "A finishes"],
    "expect": {"verdict": "holds"},
}
REQUIRED = {"title", "source", "why", "protocol", "kind", "expect", "workload", "ms", "verdict",
            "property"}
NAMED = [("protocol",), ("kind",), ("server",), ("persistence",), ("properties", 0),
         ("witnesses", 0),
         ("waits", "after"), ("expect", "verdict"), ("expect", "property"), ("clients", 0)]
NO_STEPS = ["", "A", "A acquire", "Z acquires", "C acquires", "a acquires", "A  acquires",
            "A acquires x",
            "A sends", "A sends NOSUCH", "redis executes A's NOSUCH", "redis executes C's SET",
            "resource crashes", "A resumes", "A crashes A", "5 ms", "-5 ms pass", "x ms pass",
            "99999999999999999999 ms pass", "time passes until nokey expires", 
            "redis restarts", "redis saves now", "redis's clock jumps by x ms", "A acquires\n",
            "redis loses power and x writes", "\x1b[2J", "A's clock jumps by 0 ms", "1 ms passes"]
NO_WORK = ["", "call", "call ", "call a b c",
           "lok", "lock ", "lock  a", "lock a b", "work", "work x", "work -1", "work 1.5",
           "sleep",
           "work 99999999999999999999", "unlock  unlock", "LOCK", "lock\n", "sleep 1e3", "work 0x5"]
NO_FOLDERS = ["nope", "./nope", "../nope", "/", ".", "s.json", "/dev/null", "set-token-lua/",
              "set-token-lua/protocol.lua", "\x1b[2J", "a\0b", "~", "a" * 5000, "p"]


def check(document, codes=REFUSED, place=()):
    text = document if isinstance(document, bytes) else documents.text_of(document)
    return Case(["check", "s.json", *SHORT], ("s.json", *place), {"s.json": text}, codes)


def wrong_values(document, random, count):
    every = [(path, value) for path in documents.places(document)
             for value in documents.WRONG_VALUES]
    for path, value in random.sample(every, count):
        valid = documents.same_type(value, documents.at(document, path))
        several = path in (("clients",), ("bounds", "max_seconds"))
        place = [str(path[-1])] if path and isinstance(path[-1], str) else []
        codes = ANY if valid or several else REFUSED
        yield check(documents.put(document, path, value), codes, place if codes == REFUSED else ())


def keys(document, random):
    for path in documents.places(document):
        if not path or not isinstance(path[-1], str):
            continue
        key, value = path[-1], documents.at(document, path)
        left_out = documents.without(document, path)
        needed = key in REQUIRED and path != ("properties",)
        yield check(left_out, REFUSED if needed else ANY, (f"`{key}`",) if needed else ())
        if len(key) > 5 and path[0] != "roles":
            near = documents.put(left_out, (*path[:-1], mistyped(key, random)), value)
            yield check(near, REFUSED, (f"`{key}`",))
        stranger = documents.put(document, (*path[:-1], "no such key\x1b"), 1)
        yield check(stranger, ANY if path[:1] == ("roles",) else REFUSED)
    text = documents.text_of(document)
    for line in text.split(b"\n")[1:-1]:
        if line.startswith(b' "') and line.endswith(b","):
            twice = text.replace(line, line + b"\n" + line)
            yield check(twice, REFUSED, ("stands twice",))


def references(random):
    for path in NAMED:
        name = documents.at(SEARCH, path)
        wrong = [mistyped(name, random)] if len(name) > 4 else []
        for value in [*wrong, name.upper(), name + " ", "nope"]:
            yield check(documents.put(SEARCH, path, value))
    for folder in NO_FOLDERS:
        case = check(documents.put(SEARCH, ("protocol",), folder), REFUSED)
        case.files["p"] = None
        yield case
    for step in NO_WORK:
        yield check(documents.put(SEARCH, ("roles", "client", "workload", 1), step), REFUSED,
                    ("workload",))
    for workload in (["unlock"], ["lock"], ["lock", "lock"], ["work 1"], ["lock"] * 1000,
                     [f"lock {n}" for n in range(300)], ["lock a", "unlock b"]):
        yield check(documents.put(SEARCH, ("roles", "client", "workload"), workload), ANY)
    for file in ("nope.lua", ".", "/dev/null", "s.json", "claims.lua"):
        case = check(documents.put(SEARCH, ("invariants",), file), REFUSED)
        case.place = (file,)
        case.files["claims.lua"] = random.choice([b"invariant(", b"invariant()", b"x()",
        b"return 1"])
        yield case


def schedules(random):
    for step in NO_STEPS:
        at = random.randrange(len(SCHEDULE["steps"]))
        yield check(documents.put(SCHEDULE, ("steps", at), step), REFUSED, ("steps",))
    for _ in range(60):
        steps = copy.copy(SCHEDULE["steps"])
        for _ in range(random.randrange(1, 3)):
            steps.insert(random.randrange(len(steps)), random.choice(SCHEDULE["steps"] + NO_STEPS))
            random.shuffle(steps)
        yield check(documents.put(SCHEDULE, ("steps",), steps), ANY)
    for key in ("faults", "jumps_ms", "bounds", "witnesses", "clocks_ms", "latency_ms"):
        yield check(SCHEDULE | {key: SEARCH[key]}, REFUSED, (key,))
    yield check(SEARCH | {"steps": SCHEDULE["steps"]}, REFUSED, ("steps",))


def suites(random):
    """`test` and the others read them, too."""
    for text in random.sample(list(documents.broken_texts(SEARCH, random, 5)), 12):
        yield Case(["test", "."], ("s.json",), {"s.json": text}, broken=True)
        yield Case([random.choice(["replay", "live"]), "s.json"], ("s.json",), {"s.json": text})
    yield Case(["test", "s"], ("s",), {"s": None})
    yield Case(["test", "no-such-folder"], ("no-such-folder",))
    yield Case(["test", "--filter", "no-such-scenario"], ("no-such-scenario",))


def cases(random, _):
    yield from wrong_values(SEARCH, random, 170)
    yield from wrong_values(SCHEDULE, random, 60)
    yield from keys(SEARCH, random)
    yield from keys(SCHEDULE, random)
    for document in (SEARCH, SCHEDULE):
        for text in documents.broken_texts(document, random, 20):
            yield check(text)
        yield check(b"\xef\xbb\xbf" + documents.text_of(document), ANY)
    yield from references(random)
    yield from schedules(random)
    yield from suites(random)
