"""The README's own protocol, broken as it says, is found by `lockstep diff`: its files and commands are run literally.

usage: readme_walk.py LOCKSTEP
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(readme, language):
    return re.findall(rf"```{language}\n(.*?)```", readme, re.DOTALL)


def main():
    lockstep = os.path.abspath(sys.argv[1])
    with open("README.md", encoding="utf-8") as file:
        readme = file.read()
    protocol, script = blocks(readme, "lua")
    (commands,) = [block for block in blocks(readme, "sh") if "lockstep diff" in block]
    (recorded,) = [block for block in blocks(readme, "sh") if "lockstep record" in block]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/my-lock")
        os.mkdir(f"{folder}/build")
        os.symlink(lockstep, f"{folder}/build/lockstep")
        for name, text in (("protocol.lua", protocol), ("release.lua", script)):
            with open(f"{folder}/my-lock/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        alike = subprocess.run(["bash", "-c", recorded], cwd=folder, capture_output=True, text=True)
        lines = [line for line in commands.splitlines() if line]
        codes, printed = [], ""
        for line in lines:
            result = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True)
            codes.append(result.returncode)
            printed = result.stdout + result.stderr
    if alike.returncode != 0 or "ALIKE  protocol.lua sends" not in alike.stdout:
        sys.exit(f"README.md: its client is not alike\n{alike.stdout}{alike.stderr}")
    if codes != [0] * (len(lines) - 1) + [1] or not printed.startswith("WEAKER"):
        sys.exit(f"README.md: its commands end with {codes}, the last one prints\n{printed}")
    if "foreign-release" not in printed:
        sys.exit(f"README.md: what got weaker is not foreign-release\n{printed}")
    print(f"the README's {len(lines)} commands do what it says")


if __name__ == "__main__":
    main()
