#!/usr/bin/env python3
"""Shows that the random timed locks find each bug that a patch beside this file plants in the engine.

    tests/checker/planted/find.py [NAME ...]               in a worktree of its own, build-planted/
    tests/checker/planted/find.py --here BUILD [NAME ...]  in this source, without changes, and a build of it

By hand: for each patch the engine is built with the bug, and random locks are tried until the naive
explorer disagrees: first the one that the patch names (`Seen by: TEST SEED`), which takes a minute a
patch; where there is none, or the generator has changed since, all of LOCKSTEP_SEEDS, which may take
half an hour. LOCKSTEP_STATES says how large they may be (1-10000 and 1500 if left out). Ends with 1
if a bug was not found.

unseen/ has bugs that no lock among the first thousand has shown: for whoever makes the generator
better.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
TESTS = {
    "clocks": "engine and naive explorer agree on random locks that look at clocks",
    "marks": "engine and naive explorer agree on what clients can see on clocks",
}
PATCHES = sorted((ROOT / "tests/checker/planted").glob("*.patch"))


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def of_its_own():
    source, build = ROOT / "build-planted/source", ROOT / "build-planted/build"
    if not source.exists():
        run("git", "worktree", "add", "--detach", source, cwd=ROOT)
        run("cmake", "--preset", "release", "-S", source, "-B", build, "-DLOCKSTEP_TESTS=ON", cwd=source)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    run("git", "checkout", "--quiet", "--detach", head, cwd=source)
    return source, build


def disagreement(build, seeds, test):
    """The line that tells which seed disagrees, or None."""
    environment = {"LOCKSTEP_STATES": "1500", **os.environ, "LOCKSTEP_SEEDS": seeds}
    tried = subprocess.run([build / "test_checker", test, "--abort"], capture_output=True, text=True, env=environment)
    seed = re.search(r"^\s+LOCKSTEP_SEEDS=(\d+)-\1$", tried.stdout, re.MULTILINE)  # not the first line's
    if tried.returncode < 0 or (tried.returncode != 0 and "test cases:" not in tried.stdout):
        sys.exit(f"test_checker ended with {tried.returncode}\n{tried.stdout}{tried.stderr}")
    return seed and f"LOCKSTEP_SEEDS={seed[1]}-{seed[1]}"


def found(source, build, patch):
    """Which lock of which test shows the bug, or None."""
    run("git", "apply", patch, cwd=source)
    try:
        run("cmake", "--build", build, "--target", "test_checker", stdout=subprocess.DEVNULL)
        named = re.search(r"^Seen by: (\w+) (\d+)$", patch.read_text(), re.MULTILINE)
        if named:
            seen = disagreement(build, f"{named[2]}-{named[2]}", TESTS[named[1]])
            if seen:
                return seen
        seeds = os.environ.get("LOCKSTEP_SEEDS", "1-10000")
        return next(filter(None, (disagreement(build, seeds, test) for test in TESTS.values())), None)
    finally:
        run("git", "apply", "--reverse", patch, cwd=source)


def main(words):
    if words[:1] == ["--here"]:
        source, build, words = ROOT, pathlib.Path(words[1]).resolve(), words[2:]
        run("git", "diff", "--quiet", cwd=source)
    else:
        source, build = of_its_own()
    missed = 0
    for patch in [p for p in PATCHES if not words or p.stem in words]:
        started = time.monotonic()
        seed = found(source, build, patch)
        missed += seed is None
        seconds = time.monotonic() - started
        print(f"{'found' if seed else 'MISSED':7}{patch.stem:26}{seed or ''} ({seconds:.0f} s)", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
