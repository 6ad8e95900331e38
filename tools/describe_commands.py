#!/usr/bin/env python3
"""Writes the rows of sim/redis/commands/descriptions.cpp: what a running redis-server answers to COMMAND.

usage: tools/describe_commands.py PORT

Only commands that sim/redis/commands/table.cpp has. What that table or subcommands.cpp says already is left out, and
what follows from the flags; so are the notes of key specifications, which are Redis's own sentences.
"""

import re
import socket
import sys
from pathlib import Path

VERSION = "7.0.15"
COMMANDS = Path(__file__).resolve().parent.parent / "sim" / "commands"
COLUMNS = 100
IN_TABLE = {"write", "denyoom", "noscript", "no_multi", "allow_busy", "movablekeys"}


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
    """One KeySpec of descriptions.hpp; ends with an error at one that it cannot hold."""
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


def row(command):
    name, _, flags, _, _, _, categories, tips, keys, _ = command
    categories = [category.removeprefix("@") for category in categories]
    implied = implied_categories(flags, categories)
    fields = [
        f'"{name}"',
        f'"{" ".join(flag for flag in flags if flag not in IN_TABLE)}"',
        f'"{" ".join(category for category in categories if category not in implied)}"',
        "{" + ", ".join(map(key_spec, keys)) + "}",
        f'"{" ".join(tips)}"',
    ]
    lines = ["    {"]
    for field in without_defaults(fields, ["", '""', '""', "{}", '""']):
        if len(lines[-1]) + len(field) > COLUMNS - len("},"):
            lines.append(" " * 5)
        lines[-1] += field + ", "
    return "\n".join(line.rstrip() for line in lines).removesuffix(",") + "},\n"


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__.split("\n\n")[1])
    port = int(sys.argv[1])
    if f"redis_version:{VERSION}" not in ask(port, "INFO server"):
        sys.exit(f"the server on port {port} is not redis-server {VERSION}")
    known = set(re.findall(r'^    \{"([^"]+)", -?\d', (COMMANDS / "table.cpp").read_text(), re.M))
    commands = [command for command in ask(port, "COMMAND") if command[0] in known]
    commands += [subcommand for command in commands for subcommand in command[9]]
    rows = "".join(map(row, sorted(commands)))
    path = COMMANDS / "descriptions.cpp"
    text = path.read_text()
    begin, end = text.index('    {"'), text.index("\n};") + 1
    path.write_text(text[:begin] + rows + text[end:])


main()
