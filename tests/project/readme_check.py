"""The README shows what the program prints: runs the commands of its ```console blocks and compares, but for figures
that differ between machines. With --update it writes what they print now into the README.

usage: readme_check.py LOCKSTEP [--update]
"""
import re
import subprocess
import sys

BLOCK = re.compile(r"(```console\n\$ lockstep ([^\n]*)\n)(.*?)(```)", re.DOTALL)


def printed(lockstep, arguments):
    result = subprocess.run([lockstep, *arguments.split()], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode not in (0, 1):
        sys.exit(f"lockstep {arguments}: exit code {result.returncode}\n{result.stderr}")
    return result.stdout


def without_measurements(text):
    text = re.sub(r"in \d+\.\d+ s\b", "in 0.00 s", text)
    return re.sub(r"; visited set \d+\.\d+ MB", "", text)


def main():
    lockstep, update = sys.argv[1], "--update" in sys.argv[2:]
    with open("README.md", encoding="utf-8") as file:
        readme = file.read()
    fresh = BLOCK.sub(lambda block: block[1] + without_measurements(printed(lockstep, block[2])) + block[4], readme)
    if not BLOCK.search(readme):
        sys.exit("README.md: no ```console block with a lockstep command")
    if update:
        with open("README.md", "w", encoding="utf-8") as file:
            file.write(fresh)
    elif fresh != readme:
        sys.exit("README.md does not show what lockstep prints; see it with `git diff` after\n"
                 "  python3 tests/project/readme_check.py build/lockstep --update")


if __name__ == "__main__":
    main()
