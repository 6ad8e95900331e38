"""Files: a folder where a file is expected and the other way round, one that is not there or cannot
be read; and what cannot be written."""
from case import ANY, Case, REFUSED

HERE = {"file": b"x", "folder": None, "folder/inner": b"{}", "empty": b""}
# Each stands for a file; the last two are there and say nothing.
NO_FILES = ["nope", "folder", "file/below", "folder/nope", "/proc/self/mem", "nope/../nope",
            "a" * 300,
            "a/" * 2500, "\x1b[2J", b"\xff\xfe", ".", "..", "/", "~/x", "folder/", "file/",
            "file\n",
            "/root/../nope", "empty", "/dev/null"]
READERS = {
    "eval": ["eval", "{}"], "eval --load": ["eval", "-", "--load", "{}"],
    "shell --load": ["shell", "--load", "{}"], "replay": ["replay", "{}"], "check": ["check", "{}"],
    "test": ["test", "{}"], "live": ["live", "{}"], "matrix": ["matrix", "{}"],
    "diff": ["diff", "{}", "set-token-lua"], "diff NEW": ["diff", "set-token-lua", "{}"],
    "diff --baseline": ["diff", "--baseline", "{}", "set-token-lua"],
    "record --monitor": ["record", "set-token-lua", "--monitor", "{}"],
    "record": ["record", "{}", "--", "true"],
    "check --invariants": ["check", "set-token-lua", "--invariants", "{}"]}
# An empty script is one, and so is an empty file of commands.
NOTHING_IS_FINE = {"eval", "eval --load", "shell --load"}

FINDS = ["check", "set-token-lua", "--fault", "pause=1", "--trace"]
WRITERS = [FINDS, ["test", "fencing-pause", "--junit"], ["test", "fencing-pause", "--sarif"],
           ["diff", "set-token-lua", "setnx", "--max-states", "300", "--trace"]]
# "file" is not lockstep's own: it is not written over.
NO_TARGETS = ["folder", "file/below", "nope/x", "folder/nope/x", ".", "..", "/", "/proc/nope",
              "file",
              "/dev/full", "a" * 300, "a/" * 2500, "folder/", "nope/", "/proc/self/mem/x",
              "folder/inner",
              "/dev/null/x", ""]


def cases(*_):
    for name, words in READERS.items():
        for file in NO_FILES:
            if name == "test" and file in ("..", "/"):
                continue  # whatever lies there
            fine = name in NOTHING_IS_FINE and file in ("empty", "/dev/null")
            fine = fine or (name == "check --invariants" and file in ("empty", "/dev/null"))
            filled = [file if word == "{}" else word for word in words]
            there = name == "test" and file in ("empty", "/dev/null", "/proc/self/mem")
            yield Case(filled, (), HERE, ANY if fine else REFUSED, broken=there)
    for words in WRITERS:
        for file in NO_TARGETS:
            yield Case([*words, file], (file[:50] or words[-1],), HERE)
    for folder in ("file", "file/below", "nope/x", "/dev/null", "/dev/null/x", "/proc/nope",
                   "a" * 300, "/etc", ""):
        yield Case(["report", folder, "fencing-pause"], (folder[:50] or "report",), HERE)
    for file in NO_TARGETS[:-1]:
        yield Case(["record", "set-token-lua", "--keep", file, "--", "sh", "-c",
                    "redis-cli -u $REDIS_URL PING >/dev/null"], (file[:50],), HERE)
    for command in ("nope", "folder", "./file", "/", ".", "", "a" * 300, "true", "false"):
        yield Case(["record", "set-token-lua", "--", command], (command[:50] or "record",), HERE)
    for revision in ("nope:folder", "HEAD:folder", ":", ":folder", "HEAD:", "HEAD:../x", "--help:x",
                     "HEAD~99999:x", "\x1b[2J:x", "a:b:c"):
        yield Case(["diff", revision, "set-token-lua"], (), HERE)
