#!/usr/bin/env python3
"""Runs the steps of action.yml in a repository whose pull request weakens its lock, and in one whose does not.
The step that installs the package is left out: .ci/weekly runs it on a bare machine.

usage: action_check.py LOCKSTEP
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

HOME = pathlib.Path(__file__).resolve().parents[2]


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *words], cwd=folder, check=True,
                   capture_output=True)


def repository(folder, lockstep, weaker):
    """With a branch `origin/main` and a change to it that is checked out."""
    subprocess.run([lockstep, "new", "lock"], cwd=folder, check=True, capture_output=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a lock")
    git(folder, "branch", "origin/main")
    protocol = folder / "lock" / "protocol.lua"
    text = protocol.read_text()
    changed = text.replace(', "PX", self.ttl_ms', "") if weaker else text + "-- nothing new\n"
    assert changed != text
    protocol.write_text(changed)


def step_run(action, number, given, folder, env):
    step = action["runs"]["steps"][number]
    values = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], text)
              for name, text in step.get("env", {}).items()}
    return subprocess.run(["bash", "-e", "-c", step["run"]], cwd=folder, env={**env, **values},
                          capture_output=True, text=True)


def tried(action, lockstep, weaker):
    """What is wrong, in a line each."""
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        repository(folder, lockstep, weaker)
        output = folder / "output"
        env = {**os.environ, "PATH": f"{pathlib.Path(lockstep).parent}:{os.environ['PATH']}",
               "GITHUB_ACTION_PATH": str(HOME), "GITHUB_BASE_REF": "main", "GITHUB_WORKSPACE": place,
               "GITHUB_OUTPUT": str(output), "GITHUB_ACTIONS": "true", "HOME": place}
        given = {name: each.get("default", "lock") for name, each in action["inputs"].items()}
        step_run(action, 0, given, folder, env).check_returncode()
        if not re.fullmatch(r"key=lockstep-\S+-[0-9a-f]{16}\n", output.read_text()):
            wrong.append("the key: " + output.read_text())
        ran = step_run(action, -1, given, folder, env)
        if ran.returncode != (1 if weaker else 0):
            wrong.append(f"weaker: {weaker}, exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        failures = int(xml.etree.ElementTree.parse(folder / "lockstep.xml").getroot().get("failures"))
        results = json.loads((folder / "lockstep.sarif").read_text())["runs"][0]["results"]
        if (failures > 0, len(results)) != (weaker, failures):
            wrong.append(f"weaker: {weaker}, {failures} failures in JUnit, {len(results)} results in SARIF")
        files = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
        if not all((folder / file).is_file() for file in files):
            wrong.append(f"SARIF names files that are not there: {files}")
    return wrong


def main():
    action = yaml.safe_load((HOME / "action.yml").read_text())
    lockstep = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = [line for weaker in (True, False) for line in tried(action, lockstep, weaker)]
    print("\n".join(wrong) or "action.yml: both pull requests are judged as they should be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
