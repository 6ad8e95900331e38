#!/usr/bin/env python3
"""Whatever a protocol does, `check` keeps --max-memory and --max-seconds, and says what it came to.

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


def main(lockstep):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (first, flags)) in enumerate(PROTOCOLS.items()):
            place = pathlib.Path(folder, str(number))
            place.mkdir()
            place.joinpath("protocol.lua").write_text(
                "local L = protocol { title = 't', source = 's' }\n"
                f"function L:acquire()\n{first}\n{TAKE}\nend\n"
                "function L:release() return redis('DEL', self.key) == 1 end\nreturn L\n")
            code, said, seconds, megabytes = ended(
                [lockstep, "check", place, "--max-memory", str(MEGABYTES), "--max-seconds", str(SECONDS), *flags])
            told = said.splitlines()[0] if said else "nothing"
            fine = code in (0, 1, 2) or (code == 3 and "protocol.lua" in told)
            if not fine or megabytes > MEGABYTES * 7 / 6 or seconds > SECONDS + 2:
                wrong += 1
                print(f"{name}: exit code {code}, {seconds:.1f} s, {megabytes:.0f} MiB: {told[:120]}")
            elif "-v" in sys.argv:
                print(f"  {name}: {code}, {seconds:.1f} s, {megabytes:.0f} MiB: {told[:90]}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
