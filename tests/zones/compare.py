#!/usr/bin/env python3
"""Zones and lockstep come to the same verdict of mutual exclusion, to the millisecond, of five
protocols that are written by hand as timed automata: compare.py LOCKSTEP."""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEADLINE = str(HERE / "deadline")
RENEW = "set-xx-renew-mended"  # each third of its lease
CASES = [
    (f"plain --faults 0 --work {work}", f"set-nx-px --work-ms {work}")
    for work in (9999, 10000, 10001)
] + [
    ("plain", "set-nx-px --fault pause=1"),
    ("renew --faults 0 --work 15000", f"{RENEW} --work-ms 15000"),
    ("renew", f"{RENEW} --fault pause=1"),
    ("deadline --faults 0 --work 10000", f"{DEADLINE} --work-ms 10000"),
    ("deadline --faults 0 --work 10001", f"{DEADLINE} --work-ms 10001"),
    ("deadline", f"{DEADLINE} --fault pause=1"),
    ("delay", "set-nx-px --fault delay=1 --request-timeout-ms 50"),
    ("delay --faults 0 --work 10001", "set-nx-px --work-ms 10001 --request-timeout-ms 50"),
    ("twostep", "setnx-expire --fault crash=1"),
    ("twostep --work 10000", "setnx-expire --work-ms 10000 --fault crash=1"),
    ("twostep --work 10001", "setnx-expire --work-ms 10001 --fault crash=1"),
]


def said(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True).stdout


def by_zones(arguments):
    shown = said(sys.executable, HERE / "zones.py", *arguments.split())
    if "not all of it" in shown:
        return "inconclusive"
    return "violated" if "mutual-exclusion" in shown else "holds" if shown else "no end"


def by_lockstep(lockstep, arguments):
    shown = said(lockstep, "check", *arguments.split(), "--property", "mutual-exclusion")
    found = re.match(r"(HOLDS|VIOLATED|INCONCLUSIVE)", shown)
    return found[1].lower() if found else "no verdict"


def main():
    lockstep, wrong = pathlib.Path(sys.argv[1]).resolve(), 0
    for model, check in CASES:
        zones, points = by_zones(model), by_lockstep(lockstep, check)
        if zones != points:
            wrong += 1
            print(f"zones.py {model}: {zones}; lockstep check {check}: {points}")
    print(f"{len(CASES)} compared, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
