"""Traces for `replay`, and stored verdicts for `diff --baseline`: every part changed, cut off, of
another protocol, of another version."""
import json
import pathlib
import subprocess
import tempfile

import documents
from case import ANY, Case, REFUSED

TOLD = "told"  # is for people: nothing reads it
BASELINE_STATES = "300"


def made(lockstep, *words):
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run([lockstep, *words], cwd=folder, capture_output=True, check=False)
        file = pathlib.Path(folder, "t.json")
        return json.loads(file.read_bytes() if file.exists() else ended.stdout)


def replay(document, codes, random):
    text = document if isinstance(document, bytes) else documents.text_of(document)
    more = random.choice([[], ["--json"], ["--interactive"]])
    return Case(["replay", "t.json", *more], ("t.json",), {"t.json": text}, codes,
                b"next\nelse\nback\n")


def baseline(document, codes):
    text = document if isinstance(document, bytes) else documents.text_of(document)
    return Case(["diff", "--baseline", "m.json", "setnx", "--max-states", BASELINE_STATES],
                ("m.json",), {"m.json": text}, codes)


def changed(document, random, count):
    """With whether what came is refused for certain."""
    paths = [path for path in documents.places(document) if not path or path[0] != TOLD]
    for path in random.sample(paths * 25, count):
        value = random.choice(documents.WRONG_VALUES)
        other = not documents.same_type(value, documents.at(document, path))
        yield documents.put(document, path, value), other
    named = [path for path in paths if path and isinstance(path[-1], str)]
    for path in random.sample(named, min(len(named), count)):
        yield documents.without(document, path), False


def schedules(trace, random):
    """Steps in another order, left out, twice, of others."""
    steps = trace["schedule"]
    for _ in range(60):
        other = json.loads(json.dumps(steps))
        for _ in range(random.randrange(1, 3)):
            a, b = random.randrange(len(other)), random.randrange(len(other))
            random.choice([lambda: other.pop(a), lambda: other.insert(a, other[b]),
                           lambda: other[a].update(process="Z"), lambda: other[a].update(cut=1),
                           lambda: other[a].update(do=other[b]["do"]),
                           lambda: other[a].update(connection=255, task=255, node=255)])()
        yield trace | {"schedule": other}
    yield trace | {"schedule": steps * 500}
    yield trace | {"schedule": []}
    for amount in (0, -1, 10**12, 2592000000):
        yield trace | {"schedule": [{"do": "pass", "amount_ms": amount}, *steps]}


def cases(random, lockstep):
    trace = made(lockstep, "check", "set-token-lua", "--fault", "pause=1", "--trace", "t.json")
    for document, other_type in changed(trace, random, 150):
        codes = REFUSED if other_type else ANY
        yield replay(document, codes, random)
    for document in schedules(trace, random):
        yield replay(document, ANY, random)
    for text in documents.broken_texts(trace, random, 15):
        yield replay(text, REFUSED, random)
    for name in ("fencing", "setnx", "nope", "../p", "."):
        yield replay(documents.put(trace, ("scenario", "protocol"), name), REFUSED, random)
    for version in (0, 2, 99, 2**31):
        yield replay(trace | {"lockstep_trace": version}, REFUSED, random)
    for print_ in ("", "x", "0" * 40, trace["fingerprint"][:-1], trace["fingerprint"] + "0"):
        yield replay(trace | {"fingerprint": print_}, REFUSED, random)

    verdicts = made(lockstep, "matrix", "setnx", "--json", "--max-states", BASELINE_STATES)
    for document, _ in changed(verdicts, random, 25):
        yield baseline(document, ANY)
    for text in random.sample(list(documents.broken_texts(verdicts, random, 10)), 15):
        yield baseline(text, REFUSED)
    yield baseline(trace, REFUSED)
