"""README.md and docs/guide.md, and their Chinese editions, show what the program prints: runs the commands of their
```console blocks, each once, and compares, but for figures that differ between machines. With --update it writes what
they print now into the documents.

usage: printouts_check.py LOCKSTEP [--update]
"""
import functools
import re
import subprocess
import sys

DOCUMENTS = ["README.md", "docs/guide.md", "docs/zh/README.md", "docs/zh/guide.md"]
BLOCK = re.compile(r"(```console\n\$ lockstep ([^\n]*)\n)(.*?)(```)", re.DOTALL)


@functools.cache
def printed(lockstep, arguments):
    result = subprocess.run([lockstep, *arguments.split()], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode not in (0, 1):
        sys.exit(f"lockstep {arguments}: exit code {result.returncode}\n{result.stderr}")
    return without_measurements(result.stdout)


def without_measurements(text):
    text = re.sub(r",? in \d+\.\d+ s\b", "", text)
    return re.sub(r"; visited set \d+\.\d+ MB", "", text)


def main():
    lockstep, update = sys.argv[1], "--update" in sys.argv[2:]
    stale = []
    for name in DOCUMENTS:
        with open(name, encoding="utf-8") as file:
            shown = file.read()
        if not BLOCK.search(shown):
            sys.exit(f"{name}: no ```console block with a lockstep command")
        fresh = BLOCK.sub(lambda block: block[1] + printed(lockstep, block[2]) + block[4], shown)
        if fresh == shown:
            continue
        stale.append(name)
        if update:
            with open(name, "w", encoding="utf-8") as file:
                file.write(fresh)
    if stale and not update:
        sys.exit(f"{' and '.join(stale)}: not what lockstep prints; see it with `git diff` after\n"
                 "  python3 tests/project/printouts_check.py build/lockstep --update")


if __name__ == "__main__":
    main()
