#!/usr/bin/env python3
"""Tries the program at a terminal of 80 columns: terminal_check.py LOCKSTEP

The prompt of `lockstep shell` completes words and keeps a history from one run to the next; what is
printed fits the terminal.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

LOCKSTEP = os.path.abspath(sys.argv[1])
COLUMNS, LINES = 80, 24
LONGEST = 60  # seconds


def at_terminal(words, home, typed=()):
    """What it prints; each text is typed as soon as it shows a prompt."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", HOME=home)
        os.environ.pop("NO_COLOR", None)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.execv(LOCKSTEP, [LOCKSTEP, *words])
    printed, answers = b"", list(typed)
    prompts, end = 0, time.monotonic() + LONGEST
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                printed += os.read(terminal, 65536)
            except OSError:  # it has ended
                break
        elif answers and printed.count(b"> ") > prompts:
            prompts = printed.count(b"> ")
            for key in answers.pop(0):
                os.write(terminal, bytes([key]))
    else:
        sys.exit(f"{words}: not at its end after {LONGEST} s\n{printed.decode()}")
    os.waitpid(process, 0)
    return printed.decode().replace("\r\n", "\n")


def plain(text):
    text = re.sub("\033\\[[0-9;]*[A-Za-z]|\a", "", text)
    return "\n".join(line.rstrip("\r").split("\r")[-1] for line in text.split("\n"))


def expect(holds, what, printed):
    if not holds:
        sys.exit(f"{what}:\n{printed}")


def fits(words, lines=None):
    printed = plain(at_terminal(words, "/"))
    expect(all(len(line) <= COLUMNS for line in printed.split("\n")), f"{words} is too wide", printed)
    expect(lines is None or printed.count("\n") < lines, f"{words} is too long", printed)
    return printed


def main():
    with tempfile.TemporaryDirectory() as home:
        typed = [b"set lock A\n", b"GET l\t\n", b".adv\t5s\n", b"config g\tport\n", b".quit\n"]
        printed = plain(at_terminal(["shell"], home, typed))
        expect('"A"\n' in printed, "a key is not completed", printed)
        expect('1) "port"\n' in printed, "a subcommand is not completed", printed)
        up_to_get = b"\x1b[A" * 4
        printed = plain(at_terminal(["shell"], home, [up_to_get + b"\n", b".quit\n"]))
        expect("(nil)" in printed, "the last run's lines are not kept", printed)
        walked = plain(at_terminal(["replay", "exists-set-race", "-i"], home, [b"ne\t\n", b"quit\n"]))
        expect("   1      0 ms    A        starts" in walked, "an answer is not completed", walked)

    fits(["list"], LINES)
    printed = fits(["replay", "set-token-lua-pause"])
    expect(re.search(r"\n {27}\S", printed), "what goes on below does not stand below its text", printed)
    fits(["check", "redlock", "--fault", "jump=1"])
    coloured = at_terminal(["replay", "exists-set-race"], "/")
    colours = {match[1] for match in re.finditer("\033\\[(\\d+)m[AB]  ", coloured)}
    expect(len(colours) == 2, "two clients do not have two colours", coloured)
    piped = subprocess.run([LOCKSTEP, "replay", "exists-set-race"], capture_output=True, text=True, check=False).stdout
    expect("\033" not in piped, "colours in a pipe", piped)


main()
