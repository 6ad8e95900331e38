"""What docs/guide.md proposes to try does what it says: its ```sh blocks are run line by line where the protocols are,
and what a line prints begins with the comment behind it (`# HOLDS`). Not those that need a redis-server.

usage: tries_check.py LOCKSTEP
"""
import os
import re
import subprocess
import sys
import tempfile


def main():
    lockstep = os.path.abspath(sys.argv[1])
    with open("docs/guide.md", encoding="utf-8") as file:
        blocks = re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if not line.startswith("lockstep live")]
    environment = {**os.environ, "PATH": f"{os.path.dirname(lockstep)}:{os.environ['PATH']}"}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath("protocols"), f"{folder}/protocols")
        for line in lines:
            command, _, expected = line.partition("    # ")
            result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                                    capture_output=True, text=True)
            printed = " ".join(result.stdout.split())
            if result.stderr or not printed.startswith(expected) or result.returncode not in (0, 1):
                wrong.append(f"{line}\n  {printed[:100]}{result.stderr} (exit code {result.returncode})")
    if wrong or not lines:
        sys.exit("docs/guide.md: not what happens:\n" + "\n".join(wrong))
    print(f"{len(lines)} commands of docs/guide.md do what it says")


if __name__ == "__main__":
    main()
