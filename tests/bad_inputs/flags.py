"""Flags: mistyped, without a value, twice, with what is no number, too small, too large."""
from case import Case, REFUSED, mistyped

NOBODY = "redis://127.0.0.1:1"  # where nothing listens

# A command with what it needs to be complete.
COMMANDS = {
    "check": ["check", "set-token-lua"],
    "matrix": ["matrix", "set-token-lua"],
    "diff": ["diff", "set-token-lua", "set-token-lua"],
    "live": ["live", "set-token-lua", "--redis", NOBODY],
    "test": ["test", "fencing-pause"],
    "report": ["report", "site", "fencing-pause"],
    "conform": ["conform", "--redis", NOBODY],
    "record": ["record", "set-token-lua", "--monitor", "nope.log"],
    "replay": ["replay", "set-token-lua-pause"],
    "eval": ["eval", "-"],
    "shell": ["shell"],
    "learn": ["learn", "1"],
    "list": ["list", "faults"],
}
WORLD = {"check", "matrix", "diff", "live"}
LIMITED = {"check", "matrix", "diff", "test", "report"}
LONGEST_MS = 2592000000

# A number's flag: who takes it, the least and the most.
NUMBERS = {
    "--clients": (WORLD, 1, 8),
    "--rounds": (WORLD, 1, 100),
    "--lease-ms": (WORLD | {"record"}, 1, LONGEST_MS),
    "--work-ms": (WORLD, 0, LONGEST_MS),
    "--request-timeout-ms": (WORLD, 0, LONGEST_MS),
    "--pause-max-ms": (WORLD, 0, LONGEST_MS),
    "--latency-ms": (WORLD, 0, LONGEST_MS),
    "--waits-ms": (WORLD, 1, LONGEST_MS),
    "--overtakes": (WORLD, 0, 1000),
    "--jump-ms": (WORLD, -LONGEST_MS, LONGEST_MS),
    "--clock-ms": (WORLD, -LONGEST_MS, LONGEST_MS),
    "--node-clock-ms": (WORLD, -LONGEST_MS, LONGEST_MS),
    "--drift-ppm": (WORLD, -500000, 500000),
    "--node-drift-ppm": (WORLD, -500000, 500000),
    "--max-states": (LIMITED, 1, 10**12),
    "--max-memory": (LIMITED, 1, 1 << 20),
    "--jobs": ({"test", "report", "matrix", "diff"}, 1, None),
    "--seed": ({"conform"}, 0, None),
    "--commands": ({"conform"}, 1, None),
    "--clock": ({"eval", "shell"}, None, None),
    "--draw-seed": (WORLD | {"eval", "shell"}, 0, None),
}
LISTS = {"--jump-ms", "--clock-ms", "--node-clock-ms", "--drift-ppm", "--node-drift-ppm"}
SECONDS = {"--max-seconds": LIMITED, "--seconds": {"live", "conform"}}
NO_NUMBERS = ["", "x", "nan", "-nan", "1.5", "1e3", "0x10", "010", "-", "--5", "- 5", " ", " 7",
              "1 2", "1;2", "1_000", "1'000", "½", "٣", "7\n", "\x1b[2J", "\\0", "%00", "1,x",
              "inf",
              "9" * 20, "-" + "9" * 20, "9" * 5000, "true", "null", "${N}", "`id`"]
NO_SECONDS = ["", "x", "nan", "inf", "-inf", "-1", "0", "1e999", "-1e-9", "1s", "1,5", "0x1p3",
              " 1",
              "\x1b[2J", "9" * 500, "--1"]

# A flag with a name: who takes it, and which names there are.
NAMES = {
    "--fault": ({"check"}, ["pause", "delay", "crash", "node-crash", "power-loss", "preempt"]),
    "--property": (WORLD, ["mutual-exclusion", "no-lost-update", "foreign-release", "deadlock"]),
    "--waits-after": (WORLD, ["call", "free"]),
    "--resource": (WORLD, ["plain", "fenced", "fenced-writes"]),
    "--persistence": (WORLD, ["aof-everysec", "aof-always", "none"]),
    "--language": ({"learn"}, ["zh", "en"]),
    "--server": (WORLD | {"eval", "shell", "record"}, ["redis-7.2", "valkey-8.1", "valkey-9"]),
}
NO_NAMES = ["", " ", "x", "PAUSE", "\x1b[2J", "a" * 3000, "ä", "'", "null", "0", "-"]
NO_FAULTS = ["pause=", "=1", "pause=x", "pause=-1", "pause=101", "pause=1=2", "pause=1.5",
             "pause:1",
             "pause=1;crash=1", "pause=" + "9" * 30, "pause =1", "pause= 1", "pause=0x1", "=", ","]
FILES = {"--trace": {"check", "diff"}, "--junit": {"test"}, "--sarif": {"test"}, "--load": {"eval", "shell"},
         "--invariants": WORLD, "--baseline": {"diff"}, "--redis": {"live", "conform"}}
SWITCHES = {"--json": set(COMMANDS) - {"report"}, "--audit": {"check", "test"}, "--no-merging": {"check"},
            "--markdown": {"matrix"}, "--list": {"learn"}, "--flush": {"conform"},
            "--interactive": {"replay"}, "--live": {"replay"}, "--scripts": {"check", "replay"}}
CONFLICTS = [
    (["check", "events-lock", "--keyspace-events", "Kq"], "--keyspace-events"),
    (["check", "events-lock", "--keyspace-events", "nothing"], "--keyspace-events"),
    (["check", "events-lock", "--keyspace-events", "\x1b[2J"], "--keyspace-events"),
    (["matrix", "events-lock", "--keyspace-events", "x" * 3000 + "y"], "--keyspace-events"),
    (["live", "events-lock", "--keyspace-events", "E x"], "--keyspace-events"),
    (["check", "tracking-lock", "--set", ""], "--set"),
    (["check", "tracking-lock", "--set", "\x1b[2J"], "--set"),
    (["matrix", "tracking-lock", "--set", "empties=\x1b[2J"], "tracking-lock"),
    (["diff", "tracking-lock", "set-token-lua", "--set", "nothing=1"], "tracking-lock"),
    (["live", "tracking-lock", "--set", "=" * 3000], "--set"),
    (["replay", "set-token-lua-pause", "--live", "-i"], "--live"),
    (["replay", "set-token-lua-pause", "--redis", NOBODY], "--live"),
    (["matrix", "set-token-lua", "--json", "--markdown"], "--markdown"),
    (["check", "set-token-lua", "--waits-after", "free"], "--waits-ms"),
    (["check", "fencing-pause-told", "--clients", "3"], "fencing-pause-told"),
    (["check", "fencing-pause-told", "--audit"], "--audit"),
    (["check", "fencing-pause-told", "--fault", "pause=1"], "fencing-pause-told"),
    (["check", "set-token-lua", "--clock-ms", "1,2,3"], "--clock-ms"),
    (["check", "set-token-lua", "--jump-ms", "5,0"], "--jump-ms"),
    (["check", "set-token-lua", "--node-clock-ms", "1,2"], "--node-clock-ms"),
    (["check", "set-token-lua", "--drift-ppm", "1,2,3,4"], "--drift-ppm"),
    (["diff", "--baseline", "x.json", "set-token-lua", "setnx"], "--baseline"),
    (["diff", "set-token-lua"], "diff"),
    (["diff", "set-token-lua", "setnx", "exists-set"], "diff"),
    (["learn", "1", "--list"], "--list"),
    (["live", "set-token-lua", "--drift-ppm", "500", "--redis", NOBODY], "--drift-ppm"),
]


def flags_of(command):
    tables = [NUMBERS, NAMES]
    found = [flag for table in tables for flag, row in table.items() if command in row[0]]
    for table in (SECONDS, FILES, SWITCHES):
        found += [flag for flag, takers in table.items() if command in takers]
    return found


def valid(value, most):
    """What is too small may be what a flag without a bound takes."""
    plain = value.isascii() and value.isdecimal() and len(value) < 20 and value[0] != "0"
    return plain and (most is None or int(value) <= most)


def number_cases(random):
    for flag, (takers, least, most) in NUMBERS.items():
        values = list(NO_NUMBERS)
        if least is not None:
            values += [str(least - 1), str(least - 10**12)]
        if most is not None:
            values += [str(most + 1), str(2**31), str(2**32 + 1), str(2**63 - 1), str(2**63)]
        for taker in sorted(takers):
            for value in random.sample(values, 14 if taker == "check" else 4):
                if not valid(value, most):
                    yield Case([*COMMANDS[taker], f"{flag}={value}"], (flag,))
    for flag, takers in SECONDS.items():
        for taker in sorted(takers):
            for value in random.sample(NO_SECONDS, 8):
                yield Case([*COMMANDS[taker], f"{flag}={value}"], (flag,))


def name_cases(random):
    for flag, (takers, names) in NAMES.items():
        for taker in sorted(takers):
            complete = [*COMMANDS[taker]] + (["--waits-ms", "5"] if flag == "--waits-after" else [])
            for value in random.sample(NO_NAMES, 4):
                yield Case([*complete, flag, value], (flag,))
            for name in names:
                if len(name) > 4 and (flag, taker) != ("--server", "live"):
                    yield Case([*complete, flag, mistyped(name, random)], (flag, f"`{name}`"))
    for value in NO_FAULTS:
        yield Case([*COMMANDS["check"], "--fault", value], ("--fault",))
    for flag, item in [(flag, "5") for flag in sorted(LISTS)] + [("--fault", "pause=1"),
                                                                 ("--property", "deadlock")]:
        for value in [f"{item},,{item}", f",{item}", f"{item},"]:
            yield Case([*COMMANDS["check"], flag, value], (flag, "item"))


def shape_cases(random):
    """Of every flag: mistyped, without a value, with one too many."""
    for command, complete in COMMANDS.items():
        for flag in flags_of(command):
            if len(flag) > 6:
                wrong = mistyped(flag, random)
                yield Case([*complete, wrong], (command, wrong, f"`{flag}`"))
            if flag in SWITCHES:
                yield Case([*complete, f"{flag}=perhaps"], (command, flag))
                continue
            yield Case([*complete, flag], (command, flag))
            if flag in NUMBERS and flag not in LISTS:
                yield Case([*complete, flag, "1", flag, "1"], (command, flag))
        for word in ["-x", "--no-such-flag", "--=", "--\x1b[2J", "--ä"]:
            yield Case([*complete, word], (command,))
        if len(command) > 3:
            yield Case([mistyped(command, random) if len(command) > 4 else command + "x"],
                       (f"`{command}`",))


def cases(random, _):
    yield from number_cases(random)
    yield from name_cases(random)
    yield from shape_cases(random)
    for words, place in CONFLICTS:
        yield Case(words, (place,))
    for target in ["", " ", "nope", "set-token-lau", "\x1b[2J", "a" * 5000, "../" * 50, "-",
                   "set-token-lua\n", b"\xff\xfe", "/dev/null", "/proc/self/mem", "."]:
        for command in ("check", "matrix", "replay", "live", "test"):
            yield Case([command, target, *COMMANDS[command][2:]], codes=REFUSED,
                       broken=command == "test" and str(target).startswith(("/dev", "/proc")))
