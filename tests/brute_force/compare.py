"""Compares lockstep with brute_force.py: compare.py LOCKSTEP [PROTOCOLS FOLDER]. Ends with 1 if they differ anywhere.

Each case becomes a scenario for each property, which expects what the brute force found. Leases of a few ms need
protocols that count in them: those that say seconds are copied, and say milliseconds.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from brute_force import Case, PROPERTIES, explore
from locks import ExistsSet, SetClockDel, SetTokenGetDel, SetTokenLua, SetnxExpire, SetnxGetset, WatchMultiDel, Watchdog

MILLISECONDS = [("self.ttl_s * 1000 + 1000", "self.ttl_ms + 1"), ("self.ttl_s", "self.ttl_ms"), ('"EX"', '"PX"'),
                ('"EXPIRE"', '"PEXPIRE"')]
LOCKS = (ExistsSet, SetnxExpire, SetTokenLua, SetTokenGetDel, WatchMultiDel, SetClockDel, SetnxGetset, Watchdog)
FAULTS = ((), *(((name, 1),) for name in ("pause", "crash", "delay", "lose", "jump")))

# (lock, lease, work, faults, jumps, anywhere): small enough for Python.
CASES = [(lock, 3, work, faults, (-4, 4), False) for lock in LOCKS for work in (1, 4) for faults in FAULTS]
CASES += [(lock, 3, 1, (("pause", 1),), (), True) for lock in LOCKS]

def protocol(lock, shipped, folder):
    """A copy of a shipped protocol that counts in milliseconds."""
    copy = folder / lock.name
    if not copy.exists():
        copy.mkdir()
        for file in (shipped / lock.name).iterdir():
            text = file.read_text()
            for seconds, milliseconds in MILLISECONDS:
                text = text.replace(seconds, milliseconds)
            (copy / file.name).write_text(text)
    return f"./{lock.name}"

def scenarios(case, number, shipped, folder):
    """Writes a scenario for each property, and returns how many states the brute force has seen."""
    found, states = explore(case)
    for name in PROPERTIES:
        expect = {"verdict": "holds"}
        if found[name] is not None:
            expect = {"verdict": "violated", "property": name, **({} if case.anywhere else {"steps": found[name]})}
        scenario = {
            "title": f"{case.lock.name}, {name}", "source": "tests/brute_force", "why": "found by brute force",
            "protocol": protocol(case.lock, shipped, folder), "kind": "search", "clients": 2,
            "roles": {"client": {"workload": ["lock", f"work {case.work}", "unlock"]}}, "lease_ms": case.lease,
            "faults": dict(case.faults), "properties": [name], "expect": expect,
            **({"jumps_ms": case.jumps} if case.jumps else {}),
        }
        (folder / f"{number:03}-{case.lock.name}-{name}.json").write_text(json.dumps(scenario))
    return states

def main(lockstep, shipped):
    started = time.process_time()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        cases = [Case(lock(), *rest) for lock, *rest in CASES]
        states = sum(scenarios(case, number, shipped, folder) for number, case in enumerate(cases))
        run = subprocess.run([lockstep, "test", folder, "--json"], capture_output=True, text=True)
        results = json.loads(run.stdout)["scenarios"]
    unlike = [one for one in results if one["status"] != "as-expected"]
    # Lockstep says itself that it has not tried all: no verdict to disagree with.
    differ = [one for one in unlike if "expected holds; came inconclusive" not in one["text"]]
    for one in differ:
        print(one["name"], json.dumps(cases[int(one["name"][:3])][1:]), one["text"])
    print(f"{len(cases)} cases, {len(results)} verdicts, {states} states in {time.process_time() - started:.0f} s: "
          f"{len(differ)} differ, {len(unlike) - len(differ)} left open")
    return 1 if differ or len(results) != len(cases) * len(PROPERTIES) else 0

if __name__ == "__main__":
    beside = pathlib.Path(__file__).resolve().parents[2] / "protocols"
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else beside))
