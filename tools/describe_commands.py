#!/usr/bin/env python3
"""What a running redis-server answers to COMMAND, as the rows of sim/redis/commands/*.cpp have it.

usage: tools/describe_commands.py PORT          writes it into every row that is there (then run tools/format.sh)
       tools/describe_commands.py PORT NAME...  prints it for commands that have no row yet ("lmpop", "config|get")

What follows from it is left out, as are the notes of key specifications, which are Redis's own sentences.
"""

import re
import socket
import sys
from pathlib import Path

VERSION = "7.0.15"
COMMANDS = Path(__file__).resolve().parent.parent / "sim" / "redis" / "commands"
IMPLIED_FLAGS = {"movablekeys"}
ODD_NAMES = {"readonly": "kReadOnly", "denyoom": "kDenyOom", "noscript": "kNoScript"}


def read_reply(stream):
    kind, text = stream.read(1), stream.readline()[:-2].decode()
    if kind == b"$":
        return stream.read(int(text) + 2)[:-2].decode()
    if kind == b"*":
        return [read_reply(stream) for _ in range(int(text))]
    if kind == b"-":
        sys.exit(f"redis-server says: {text}")
    return int(text) if kind == b":" else text


def ask(port, line):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(line.encode() + b"\r\n")
        return read_reply(connection.makefile("rb"))


def implied_categories(flags, categories):
    """What Redis adds by itself (7.0 acl.c, setImplicitACLCategories)."""
    implied = {"admin", "dangerous"} if "admin" in flags else set()
    implied |= {flag for flag in ("write", "pubsub", "fast", "blocking") if flag in flags}
    if "readonly" in flags and "scripting" not in categories:
        implied.add("read")
    return implied | (set() if "fast" in flags else {"slow"})


def without_defaults(fields, defaults):
    """Without those at the end that are what they are when nothing is said."""
    while len(fields) <= len(defaults) and fields[-1] == defaults[len(fields) - 1]:
        fields = fields[:-1]
    return fields


def key_spec(pairs):
    """One KeySpec of table.hpp; ends with an error at one that it cannot hold."""
    spec = dict(zip(pairs[::2], pairs[1::2]))
    begin, find = (dict(zip(spec[s][::2], spec[s][1::2])) for s in ("begin_search", "find_keys"))
    where, which = (dict(zip(s["spec"][::2], s["spec"][1::2])) for s in (begin, find))
    fields = [f'"{" ".join(spec["flags"])}"']
    if begin["type"] == "unknown" and find["type"] == "unknown":
        return "{" + fields[0] + "}"
    fields.append(str(where["index"] if begin["type"] == "index" else where["startfrom"]))
    if find["type"] == "keynum" and which == {"keynumidx": 0, "firstkey": 1, "keystep": 1}:
        fields += ["kCounted", "1"]
    elif find["type"] == "range" and which["limit"] == 0:
        fields += [str(which["lastkey"]), str(which["keystep"])]
    else:
        sys.exit(f"no form for the key specification {spec}")
    if begin["type"] == "keyword":
        fields.append(f'"{where["keyword"]}"')
    return "{" + ", ".join(without_defaults(fields, ["", "0", "0", "1"])) + "}"


def constant(flag):
    return ODD_NAMES.get(flag) or "k" + "".join(word.capitalize() for word in flag.split("_"))


def info(command):
    """A CommandInfo of table.hpp."""
    name, arity, flags, _, _, _, categories, tips, keys, _ = command
    categories = [category.removeprefix("@") for category in categories]
    implied = implied_categories(flags, categories)
    fields = [
        f'"{name}"',
        str(arity),
        " | ".join(constant(flag) for flag in flags if flag not in IMPLIED_FLAGS) or "0",
        f'"{" ".join(category for category in categories if category not in implied)}"',
        "{" + ", ".join(map(key_spec, keys)) + "}",
        f'"{" ".join(tips)}"',
    ]
    return "{" + ", ".join(without_defaults(fields, ["", "", "0", '""', "{}", '""'])) + "}"


def described(text, known):
    """The text of a family's file with what the server says in each of its rows."""
    begins = [match.end(1) for match in re.finditer(r'^( *\{)\{"[a-z][^"]*",\s+-?\d', text, re.M)]
    for begin in reversed(begins):
        end, depth = begin, 0
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        name = text[begin:end].split('"')[1]
        if name not in known:
            sys.exit(f"redis-server has no command {name}")
        text = text[:begin] + info(known[name]) + text[end:]
    return text


def main():
    if len(sys.argv) < 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__.split("\n\n")[1])
    port = int(sys.argv[1])
    if f"redis_version:{VERSION}" not in ask(port, "INFO server"):
        sys.exit(f"the server on port {port} is not redis-server {VERSION}")
    commands = ask(port, "COMMAND")
    commands += [subcommand for command in commands for subcommand in command[9]]
    known = {command[0]: command for command in commands}
    for name in sys.argv[2:]:
        print(info(known[name]) if name in known else f"redis-server has no command {name}")
    if sys.argv[2:]:
        return
    for path in COMMANDS.glob("*.cpp"):
        path.write_text(described(path.read_text(), known))


main()
