#!/usr/bin/env python3
"""Thousands of bad inputs: each is refused in one line that names the place, with exit code 3.

    tests/bad_inputs/run.py build/lockstep [--seed N] [--kind NAME] [--of N] [--show N]
                            [--keep FOLDER]

No bug of lockstep, no signal, nothing that goes on for ever or takes memory without bound, no
verdict, no file left behind.
`--of` takes every Nth of them, others each day, `--show` prints what N of each kind came to,
`--keep` keeps the files of those that ended wrongly.
Which inputs there are depends on the seed alone.
"""
import argparse
import collections
import concurrent.futures
import datetime
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left in the source

import addresses
import case
import files
import flags
import protocols
import scenarios
import scripts
import traces

KINDS = {module.__name__: module
         for module in (flags, scenarios, protocols, scripts, traces, addresses, files)}
SECONDS = 60  # what goes on for ever; the slowest that ends prints 1.7 million calls
MEBIBYTES = 500  # for any of them
AT_ONCE = 2
# What a library or the language says of itself, and nobody can make anything of.
INTERNAL = re.compile(r"bug of lockstep|exception|std::|CLI::|basic_string|terminate|assert"
                      r"|0x[0-9a-f]{6}|stack traceback", re.IGNORECASE)
VERDICT = re.compile(rb"HOLDS|VIOLATED|INCONCLUSIVE|VACUOUS|CONFIRMED")


def lay_out(folder, given):
    for path, content in given.items():
        path = folder / path
        (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content)


def what_lies_in(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def trouble_of_line(said, place):
    """What is wrong with a refusal."""
    if not said.startswith("lockstep: ") or said.count("\n") != 1 or said[-1] != "\n":
        return "not one line"
    if not all(c.isprintable() or "\udc80" <= c <= "\udcff" for c in said[:-1]):
        return "control characters"
    if len(said) > 2000:
        return "a line that nobody reads to its end"
    if INTERNAL.search(said):
        return "internals"
    missing = [part for part in place if part not in said]
    return f"no word of {missing}" if missing else ""


def trouble_of(given, ended):
    """What is wrong with how it ended; nothing if all is well."""
    said = ended.stderr.decode(errors="surrogateescape")
    if ended.returncode not in given.codes:
        return "exit code"
    if ended.returncode != 3:
        return "a word on stderr" if said else ""
    if given.broken:
        missing = [p for p in (*given.place, "BROKEN") if p.encode() not in ended.stdout]
        return f"no word of {missing}" if missing else ""
    return trouble_of_line(said,
                           given.place) or ("a verdict" if VERDICT.search(ended.stdout) else "")


def run(lockstep, given):
    """What is wrong, and what it printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "here"  # nobody's file lies in its `..`
        folder.mkdir()
        lay_out(folder, given.files | {"tmp": None})
        before = what_lies_in(folder)
        try:
            ended = subprocess.run([lockstep, *given.words], input=given.stdin, cwd=folder,
                                   capture_output=True, timeout=SECONDS, check=False,
                                   env=os.environ | {"TMPDIR": str(folder / "tmp")})
        except subprocess.TimeoutExpired:
            return f"goes on for more than {SECONDS} s", None
        after = what_lies_in(folder)
    changed = [path.name for path in before.keys() | after.keys()
               if before.get(path, "") != after.get(path, "")]
    trouble = trouble_of(given, ended)
    return trouble or (f"leaves {changed}" if changed else ""), ended


def shown(given, ended):
    """For a person."""
    words = " ".join(repr(str(w))[1:-1] if w else "''" for w in given.words)[:110]
    code = ended.returncode if ended else "-"
    if ended and ended.returncode < 0:
        code = signal.Signals(-ended.returncode).name
    output = (ended.stderr or ended.stdout[:160]) if ended else b""
    return f"lockstep {words}\n    {code}: {output.decode(errors='replace').strip()[:400]}"


def distinct(cases):
    return list({given.identity(): given for given in cases}.values())


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("lockstep", type=pathlib.Path)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--kind", choices=KINDS)
    asked.add_argument("--of", type=int, default=1, metavar="N")
    asked.add_argument("--show", type=int, default=0, metavar="N")
    asked.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    asked = asked.parse_args()
    lockstep = asked.lockstep.resolve()
    began = time.monotonic()
    wrong, count = 0, 0
    for name in [asked.kind] if asked.kind else KINDS:
        cases = distinct(KINDS[name].cases(random.Random(f"{asked.seed} {name}"), lockstep))
        cases = cases[datetime.date.today().toordinal() % asked.of::asked.of]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda given: run(lockstep, given), cases))
        codes = collections.Counter(ended.returncode for _, ended in results if ended)
        print(f"{name}: {len(cases)}, exit codes {dict(sorted(codes.items()))}, "
              f"{time.monotonic() - began:.1f} s")
        count += len(cases)
        for given, (trouble, ended) in zip(cases, results):
            if trouble:
                wrong += 1
                print(f"  {wrong}. {trouble}: {shown(given, ended)}")
                if asked.keep:
                    lay_out(asked.keep / str(wrong), given.files | {"stdin": given.stdin})
        sample = random.Random(time.time()).sample(list(zip(cases, results)),
                                                   min(asked.show, len(cases)))
        for given, (_, ended) in sample:
            print("  " + shown(given, ended))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"{count} bad inputs of seed {asked.seed}, {wrong} wrong, "
          f"{time.monotonic() - began:.1f} s, at most {most} MiB")
    return 1 if wrong or most > MEBIBYTES else 0


if __name__ == "__main__":
    sys.exit(main())
