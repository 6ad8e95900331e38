#!/usr/bin/env python3
"""Whatever a protocol does, `check` keeps --max-memory and --max-seconds, and says what it came to; `matrix` and
`diff` keep --max-seconds, which is that of all their searches together.

    tests/project/limits_check.py build/lockstep

Memory is the most that the process has had in memory, seconds are those of its processor (getrusage
of the ended child): a clock's are others' too where the machine is shared, so they may be three
times as many. What is allowed beyond a limit is a sixth of the memory, and two seconds.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MEGABYTES = 300
SECONDS = 3
TAKE = "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK"

# What acquire() does first, and the flags beside the limits.
PROTOCOLS = {
    "a huge value": ("redis('SETRANGE', 'x', 536870911, 'a')", []),
    "a huge value by a script": ("redis('EVAL', \"return redis.call('SETRANGE', 'x', 536870911, 'a')\", 0)", []),
    "a script that catches": ("redis('EVAL', \"redis.pcall('SETRANGE', 'x', 536870911, 'a') return 1\", 0)", []),
    "many large values": ("local s = ('x'):rep(1000000) for i = 1, 200 do redis('SET', i, s) end", []),
    "a value that grows": ("while true do redis('APPEND', 'x', ('x'):rep(1000000)) sleep(1) end", []),
    "a list that grows": ("while true do redis('RPUSH', 'l', 'x') end", []),
    "a table that grows": ("self.all = self.all or {} for i = 1, 100000 do self.all[#self.all + 1] = i end", []),
    "a loop that looks at its clock": (
        "local t = monotonic() while monotonic() - t < 5000 do redis('GET', self.key) sleep(20) end", []),
    "a microsecond that is compared": (
        "local t = redis('TIME')[2] if redis('TIME')[2] .. '' == t then return false end", []),
    "a lifetime that moves on": (
        "redis('SET', 'a', 'x', 'PX', self.ttl_ms // 7) redis('COPY', 'a', 'b', 'REPLACE') redis('RENAME', 'b', 'c') "
        "redis('MOVE', 'c', 1) redis('SWAPDB', 0, 1)", ["--fault", "pause=2"]),
    "ages that are kept": (
        "self.ages = self.ages or {} self.ages[#self.ages + 1] = monotonic() sleep(1) "
        "if #self.ages > 1 then self.ages[#self.ages] = self.ages[#self.ages] - self.ages[1] end",
        ["--rounds", "50", "--fault", "pause=1"]),
    "keys by time": ("while true do redis('SET', millis(now()), 'x', 'PX', 100) sleep(1) end", []),
    "many clients": ("", ["--clients", "6", "--rounds", "3", "--property", "deadlock"]),
    "many choices": ("for i = 1, 30 do if choose(2) == 1 then redis('INCR', 'n') end end", []),
    "short pauses": (
        "every(7, function() redis('PEXPIRE', self.key, 100) end)",
        ["--fault", "pause=2", "--pause-max-ms", "37", "--property", "deadlock"]),
    "a long run": (
        "for i = 1, 40 do redis('INCR', 'n') end "
        "if redis('INCR', 'm') == 100 then redis('SET', self.key, 'x') error('') end",
        ["--clients", "1", "--rounds", "100", "--work-ms", "1"]),
    "many runs": ("", ["--clients", "3", "--rounds", "4", "--fault", "crash=3", "--property", "no-lost-update"]),
}


# Where the process has less memory than a script or a client program may use: that is no mistake of theirs.
FEW_MEGABYTES = 50
STARVING = {
    "a script that encodes": "redis('EVAL', \"return #cjson.encode(('\\\\\\\\0'):rep(5000000))\", 0)",
    "a script that catches what it encodes": (
        "redis('EVAL', \"return {pcall(cjson.encode, ('\\\\\\\\0'):rep(5000000))}\", 0)"),
    "a script that packs": "redis('EVAL', \"return #struct.pack('s', ('x'):rep(8000000))\", 0)",
    "a script that makes a long text": (
        "redis('EVAL', \"local s = ('x'):rep(9000000) s = s .. s .. s .. s return #s\", 0)"),
    "a script that sends": "redis('EVAL', \"local s = ('x'):rep(9000000) redis.call('ECHO', s, s, s, s, s)\", 0)",
    "a client that sends": "local s = ('x'):rep(9000000) redis('ECHO', s, s, s, s, s)",
    "a client that logs": "local s = ('x'):rep(20000000) for i = 1, 5 do log(s .. i) end",
    "a client that catches": "local s = ('x'):rep(20000000) pcall(function() for i = 1, 5 do log(s .. i) end end)",
    "a client that makes a long text": "local s = ('x'):rep(9000000) s = s .. s .. s .. s .. s redis('ECHO', #s)",
}

# Protocols of the above, by what judges them.
MANY_SEARCHES = {
    "matrix": ["many clients", "a loop that looks at its clock", "a lifetime that moves on"],
    "diff": ["many clients", "ages that are kept"],
}
LARGE = ["-j", "1", "--clients", "3", "--rounds", "3", "--max-states", "100000000"]


def ended(command):
    """Exit code, output, seconds of the processor (or a third of a clock's), and MiB of memory."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = max(usage.ru_utime + usage.ru_stime, (time.monotonic() - began) / 3)
        out.seek(0)
        return child.returncode, out.read().decode(), seconds, usage.ru_maxrss / 1024


def laid_out(folder):
    """A folder for each of the protocols."""
    places = {}
    bodies = {name: first for name, (first, _) in PROTOCOLS.items()} | STARVING
    for number, (name, first) in enumerate(bodies.items()):
        place = places[name] = pathlib.Path(folder, str(number))
        place.mkdir()
        place.joinpath("protocol.lua").write_text(
            "local L = protocol { title = 't', source = 's' }\n"
            f"function L:acquire()\n{first}\n{TAKE}\nend\n"
            "function L:release() return redis('DEL', self.key) == 1 end\nreturn L\n")
    return places


def trouble_of_check(lockstep, place, flags):
    """What is wrong, and what came of it."""
    code, said, seconds, megabytes = ended(
        [lockstep, "check", place, "--max-memory", str(MEGABYTES), "--max-seconds", str(SECONDS), *flags])
    told = said.splitlines()[0] if said else "nothing"
    fine = code in (0, 1, 2) or (code == 3 and "protocol.lua" in told)
    wrong = not fine or megabytes > MEGABYTES * 7 / 6 or seconds > SECONDS + 2
    return wrong, f"exit code {code}, {seconds:.1f} s, {megabytes:.0f} MiB: {told[:120]}"


def trouble_of_starving(lockstep, place):
    code, said, _, _ = ended([lockstep, "check", place, "--max-memory", str(FEW_MEGABYTES)])
    told = said.splitlines()[0] if said else "nothing"
    return code != 2 or "MiB was reached" not in told, f"exit code {code}: {told[:120]}"


def trouble_of_many(lockstep, command, place):
    """The same of a command of many searches, which cannot all be done."""
    targets = [place] * (2 if command == "diff" else 1)
    code, said, seconds, _ = ended([lockstep, command, *targets, "--max-seconds", str(SECONDS), *LARGE])
    wrong = code not in (1, 2) or "the time limit was reached" not in said or seconds > SECONDS + 2
    return wrong, f"exit code {code}, {seconds:.1f} s: {said.splitlines()[-1][:120]}"


def main(lockstep):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        places = laid_out(folder)
        cases = [("check", name, trouble_of_check, (places[name], flags)) for name, (_, flags) in PROTOCOLS.items()]
        cases += [("check", name, trouble_of_starving, (places[name],)) for name in STARVING]
        cases += [(command, name, trouble_of_many, (command, places[name]))
                  for command, names in MANY_SEARCHES.items() for name in names]
        for command, name, trouble_of, given in cases:
            trouble, told = trouble_of(lockstep, *given)
            wrong += trouble
            if trouble or "-v" in sys.argv:
                print(f"{'' if trouble else '  '}{command}, {name}: {told}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
