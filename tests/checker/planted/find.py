#!/usr/bin/env python3
"""Shows that the random timed locks find each bug that a patch beside this file plants in the engine.

    tests/checker/planted/find.py [NAME ...]               in a worktree of its own, build-planted/
    tests/checker/planted/find.py --here BUILD [NAME ...]  in this source, without changes, and a build of it

By hand: it takes about an hour. For each patch the engine is built with the bug, and random locks are tried until the
naive explorer disagrees. Ends with 1 if a bug was not found. LOCKSTEP_SEEDS and LOCKSTEP_STATES say
which locks, and how large (1-2000 and 2000 if left out).
"""
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
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


def found(source, build, patch):
    """The line that tells which seed disagrees, or None."""
    environment = {"LOCKSTEP_SEEDS": "1-2000", "LOCKSTEP_STATES": "2000", **os.environ}
    run("git", "apply", patch, cwd=source)
    try:
        run("cmake", "--build", build, "--target", "test_checker", stdout=subprocess.DEVNULL)
        tried = subprocess.run([build / "test_checker", "[random-timed],[random-enlarged]", "--abort"],
                               capture_output=True, text=True, env=environment)
    finally:
        run("git", "apply", "--reverse", patch, cwd=source)
    seed = re.search(r"LOCKSTEP_SEEDS=(\d+)-\1\b", tried.stdout)
    if not seed and tried.returncode != 0:
        sys.exit(f"{patch.stem}: test_checker ended with {tried.returncode}\n{tried.stdout}{tried.stderr}")
    return seed and seed.group(0)


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
