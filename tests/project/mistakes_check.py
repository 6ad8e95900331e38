"""Checks that every mistake under tests/data/mistakes is found: its second line says which check sees it, and that
check must judge the protocol with the mistake (PROTOCOL/MISTAKE) worse than the shipped one (protocols/PROTOCOL)."""
import glob
import os
import subprocess
import sys

SEEN_BY = "Seen by: "
RANK = {"HOLDS": 0, "VACUOUS": 1, "VIOLATED": 2}


def worse(lockstep, folder):
    """What is wrong with this mistake as test data, or None; of one that does not say what sees it, False."""
    with open(f"{folder}/protocol.lua", encoding="utf-8") as file:
        first, second = file.readline(), file.readline()
    if not first.startswith("-- Mistake: "):
        return "its first line does not say the mistake"
    if SEEN_BY not in second:
        return False
    flags = second.split(SEEN_BY)[1].split()
    verdicts = []
    for protocol in (os.path.basename(os.path.dirname(folder)), f"./{folder}"):
        run = subprocess.run([lockstep, "check", protocol, *flags], capture_output=True, errors="replace", check=False)
        verdicts.append(run.stdout.split()[0] if run.stdout else run.stderr.strip())
    if not all(verdict in RANK for verdict in verdicts):
        return "; ".join(verdicts)
    return None if RANK[verdicts[0]] < RANK[verdicts[1]] else f"{verdicts[0]} without it, {verdicts[1]} with it"


def main():
    folders = sorted(os.path.dirname(path) for path in glob.glob("tests/data/mistakes/*/*/protocol.lua"))
    found = [(folder, worse(sys.argv[1], folder)) for folder in folders]
    failures = [f"{folder}: {text}" for folder, text in found if text]
    skipped = sum(text is False for _, text in found)
    print("\n".join(failures) or f"{len(found) - skipped} mistakes are found, {skipped} do not say by what")
    return 1 if failures or skipped == len(found) else 0


if __name__ == "__main__":
    sys.exit(main())
