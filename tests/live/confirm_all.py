#!/usr/bin/env python3
"""Every shipped scenario that expects a violation is replayed on real redis-servers: confirm_all.py LOCKSTEP [FOLDER].

Each must end with CONFIRMED. What no real server can be made to do must be refused for that reason, and only then;
those scenarios are listed. A replay mostly waits, so many run at once, each on servers of its own.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

LOCKSTEP = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "scenarios")
AT_ONCE = 12
LONGEST_S = 170

# Why a run may not be reproducible, by a fault that its scenario must allow.
REASONS = {
    "a real server's clock cannot be made to jump": "jump",
    "the power of a real machine cannot be cut": "power-loss",
    "which of several keys a real server evicts is its own choice": "evict",
    "a real clock cannot be made to drift": "drift",
    "a real server's clock cannot be made to stand still": "freeze",
    "a real server cannot be kept from noticing that a key has expired": "delay",
}
# Clients, or threads, that wait for one another: a fresh client, alone on the server, does not meet that.
AMONG_THEMSELVES = {"multi-lock-opposite", "mutex-left-lose", "rw-hash-renewed-upgrade",
                    "redisson-rw-upgrade-for-ever"}


def faults_of(scenario):
    """The faults that a scenario allows or, as a schedule, tells in its steps."""
    told = " ".join(scenario.get("steps", []))
    faults = {name for name, count in scenario.get("faults", {}).items() if count > 0}
    if "jump" in told:
        faults.add("jump")
    if "power" in told:
        faults.add("power-loss")
    if "late to notice" in told:
        faults.add("delay")
    if "drifts_ppm" in scenario or "node_drifts_ppm" in scenario:
        faults.add("drift")
    return faults


def replay(file):
    run = subprocess.run([LOCKSTEP, "replay", file, "--live", "--json"], capture_output=True, text=True,
                         timeout=LONGEST_S, check=False)
    outcome = json.loads(run.stdout) if run.stdout.startswith("{") else {"outcome": run.stderr.strip()}
    return run.returncode, outcome


def verdict(file):
    """("confirmed" | "skipped" | "failed", a line about it)."""
    scenario = json.loads(file.read_text())
    code, outcome = replay(file)
    detail = outcome.get("detail", "")
    line = f"{file.stem}: {outcome['outcome']} {detail}".rstrip()
    if code == 0 and outcome["outcome"] == "confirmed":
        return "confirmed", line
    if code == 2 and outcome["outcome"] == "not-reproducible-live":
        for reason, fault in REASONS.items():
            if detail.endswith(reason) and fault in faults_of(scenario):
                return "skipped", line
    if file.stem in AMONG_THEMSELVES and detail == "a fresh client acquires the lock":
        return "skipped", line
    return "failed", f"{line} (exit code {code})"


def again_if_slow(file, found):
    """What is too slow beside others is tried alone."""
    return verdict(file) if found[0] == "failed" and ": too-slow " in found[1] else found


def expects_violation(file):
    return json.loads(file.read_text()).get("expect", {}).get("verdict") == "violated"


def main():
    files = [file for file in sorted(FOLDER.glob("*.json")) if not file.name.endswith(".schema.json")]
    violated = [file for file in files if expects_violation(file)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        together = list(pool.map(verdict, violated))
    verdicts = [again_if_slow(file, found) for file, found in zip(violated, together)]
    for kind in ("skipped", "failed"):
        for found, line in verdicts:
            if found == kind:
                print(f"{kind}: {line}")
    confirmed = sum(found == "confirmed" for found, _ in verdicts)
    print(f"{confirmed} of {len(violated)} confirmed")
    return 0 if confirmed > 0 and all(found != "failed" for found, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
