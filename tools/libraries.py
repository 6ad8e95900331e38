#!/usr/bin/env python3
"""Real lock libraries, judged: protocols/libraries/NAME is a client program of ours, and
library.json says which package of which version it is a model of, which scripts come out of that
package, and what has to come out of which check.

usage: tools/libraries.py fetch DIR [NAME...]
           makes DIR/NAME of each: the program, and the scripts byte for byte
       tools/libraries.py check LOCKSTEP DIR [NAME...]
           runs the checks of each that is in DIR with its scripts; exit code 2: one came otherwise
       tools/libraries.py record LOCKSTEP DIR [NAME...]
           runs the driver of each that has one, with the real package, and compares what it sends
           with the program; exit code 2: it is not alike, or not what library.json says of it
       tools/libraries.py page [--check]
           writes docs/libraries.md; exit code 2: it is not what it would write

No library's code is in this repository: packages are fetched from npm (by name, version and
integrity) or Debian (by name and version, with apt-get). `record` installs npm's in DIR/NAME/.drive;
Debian's have to be installed. exit code 3: a package cannot be had, or is not what library.json says.
"""
import ast
import base64
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ROOT / "protocols" / "libraries"
PAGE = ROOT / "docs" / "libraries.md"
REGISTRY = "https://registry.npmjs.org"
INTRODUCTION = """# Real libraries, judged

What the locks of real libraries keep, and what breaks them: each row is a check, of a model of that
version's client with the scripts that the package contains. The client program is ours
([protocols/libraries](../protocols/libraries)); no library's code is in this repository.
`tools/libraries.py fetch build/libraries` takes the scripts out of the packages, byte for byte, and
then `lockstep check build/libraries/NAME FLAGS` shows the run. Every lock whose lease may end while
its holder works loses mutual exclusion by a pause that is long enough, which is no bug of the
library; other rows may be. `tools/libraries.py record lockstep build/libraries` runs real packages, and
compares what they send with the models. An answer that is lost is an error to these clients, as with a limit on
retries; where ioredis sends a request again by itself, more may happen. What we found reported
nowhere is in [found.md](found.md).
Two clients, and messages take no time, unless the flags say otherwise.
This page is written by `tools/libraries.py page`.
"""


class Unusable(Exception):
    pass


def described(names):
    found = sorted(file.parent.name for file in LIBRARIES.glob("*/library.json"))
    for name in names:
        if name not in found:
            raise Unusable(f"no library {name!r} in {LIBRARIES}")
    for name in names or found:
        yield name, json.loads((LIBRARIES / name / "library.json").read_text())


def npm_files(package):
    """The files of a package's tarball, by path: checked against its integrity."""
    name = package["name"]
    url = f"{REGISTRY}/{name}/-/{name.split('/')[-1]}-{package['version']}.tgz"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            tarball = answer.read()
    except OSError as error:
        raise Unusable(f"{url}: {error}") from error
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    if integrity != package["integrity"]:
        raise Unusable(f"{url} is not what it was: its integrity is {integrity}")
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        return {
            member.name.split("/", 1)[-1]: archive.extractfile(member).read()
            for member in archive.getmembers() if member.isfile()
        }


def debian_files(package):
    with tempfile.TemporaryDirectory() as folder:
        wanted = f"{package['name']}={package['version']}"
        try:
            subprocess.run(
                ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", wanted],
                cwd=folder, check=True)
            for deb in pathlib.Path(folder).glob("*.deb"):
                subprocess.run(["dpkg", "-x", deb, folder + "/root"], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Unusable(f"{wanted}: {error}") from error
        root = pathlib.Path(folder) / "root"
        return {str(path.relative_to(root)): path.read_bytes()
                for path in root.rglob("*") if path.is_file()}


PACKAGES = {"npm": npm_files, "debian": debian_files}
QUOTED = rb"'(?:[^'\\\n]|\\.)*'" + b"|" + rb'"(?:[^"\\\n]|\\.)*"'


def cut_out(text, place):
    """What stands between the marks `after`, each sought behind the one before it, and `before`;
    the whole file without marks. With `literals` that is an expression of quoted strings, of which
    the text is what they say, joined."""
    for mark in place.get("after", []):
        before, found, text = text.partition(mark.encode())
        if not found:
            raise Unusable(f"{place['file']}: there is no {mark!r}")
    if "before" in place:
        text, found, _ = text.partition(place["before"].encode())
        if not found:
            raise Unusable(f"{place['file']}: no {place['before']!r} behind it")
    if place.get("literals"):
        quoted = re.findall(QUOTED, text)
        return "".join(ast.literal_eval(each.decode()) for each in quoted).encode()
    return text


def fetch(where, names):
    for name, library in described(names):
        folder = pathlib.Path(where) / name
        made = pathlib.Path(str(folder) + ".new")
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(LIBRARIES / name, made)
        package = library.get("package")
        if package and library["scripts"]:
            files = PACKAGES[package["from"]](package)
            for script, place in library["scripts"].items():
                if place["file"] not in files:
                    raise Unusable(f"{package['name']} has no file {place['file']}")
                (made / script).write_bytes(cut_out(files[place["file"]], place))
        if (folder / ".drive").is_dir():
            (folder / ".drive").rename(made / ".drive")
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
        print(f"{folder}: {library['library']} {library['version']}", flush=True)


def outcome_of(lockstep, folder, check):
    """What came out: verdict, property, steps."""
    words = [lockstep, "check", str(folder), "--json", *check["flags"].split()]
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode == 3 or not run.stdout:
        return {"verdict": f"error: {run.stderr.strip()}"}
    result = json.loads(run.stdout)
    return {key: result[key] for key in ("verdict", "property", "steps") if result.get(key) is not None}


def check(lockstep, where, names):
    wrong = checked = 0
    for name, library in described(names):
        folder = pathlib.Path(where) / name
        if not all((folder / script).is_file() for script in ["protocol.lua", *library["scripts"]]):
            print("not here", name, flush=True)
            continue
        for each in library["checks"]:
            came = outcome_of(lockstep, folder, each)
            expected = {key: each[key] for key in ("verdict", "property", "steps") if key in each}
            right = all(came.get(key) == value for key, value in expected.items())
            wrong += not right
            checked += 1
            print("ok     " if right else "FAILED ", name, each["flags"], came if not right else "", flush=True)
    print(f"{checked} checks, {wrong} not as expected")
    return 0 if checked and not wrong else 2


DRIVERS = {"drive.cjs": "node", "drive.mjs": "node", "drive.py": "/usr/bin/python3", "drive.php": "php"}


def driver_of(name):
    """Our file that uses the real package; None: there is none."""
    return next((file for file in DRIVERS if (LIBRARIES / name / file).is_file()), None)


def npm_installed(library, folder):
    """The package, and what its driver needs beside it: installed unless they are there already."""
    package = library["package"]
    wanted = [f"{package['name']}@{package['version']}", *library["drive"].get("with", [])]
    versions = {name: version for name, _, version in (each.rpartition("@") for each in wanted)}
    described_there = json.dumps({"private": True, "dependencies": versions}, indent=2) + "\n"
    description, lock = folder / "package.json", folder / "package-lock.json"
    if not lock.is_file() or description.read_text() != described_there:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        description.write_text(described_there)
        flags = ["--no-audit", "--no-fund", "--legacy-peer-deps", "--ignore-scripts"]
        run = subprocess.run(["npm", "install", *flags], cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            lock.unlink(missing_ok=True)
            raise Unusable(f"npm install {' '.join(wanted)}: {run.stderr.strip()}")
    integrity = json.loads(lock.read_text())["packages"][f"node_modules/{package['name']}"]["integrity"]
    if integrity != package["integrity"]:
        raise Unusable(f"{package['name']} is not what it was: its integrity is {integrity}")
    return True


def debian_installed(library, folder):
    """Whether the system has the package in its version, and what its driver needs beside it."""
    package = library["package"]
    names = [package["name"], *library["drive"].get("with", [])]
    query = ["dpkg-query", "--show", "--showformat", "${Version} ${db:Status-Status}\n", *names]
    run = subprocess.run(query, capture_output=True, text=True)
    there = run.stdout.splitlines()
    folder.mkdir(exist_ok=True)
    return run.returncode == 0 and f"{package['version']} installed" in there and \
        all(line.endswith(" installed") for line in there)


INSTALLED = {"npm": npm_installed, "debian": debian_installed}


def recording_of(lockstep, folder, driver, flags):
    """What `record` says of the driver: its JSON, and what went to the error stream."""
    binary = pathlib.Path(shutil.which(lockstep) or lockstep).resolve()
    words = ["timeout", "--signal=INT", "60", str(binary), "record", str(folder), "--json", *flags.split()]
    run = subprocess.run([*words, "--", DRIVERS[driver], driver],
                         cwd=folder / ".drive", capture_output=True, text=True)
    result = json.loads(run.stdout) if run.stdout else {"verdict": "error"}
    if run.returncode == 124 or "ended with exit code" in run.stderr:
        result["verdict"] = "the driver failed"
    return result, run.stderr.strip()


def record(lockstep, where, names):
    wrong = recorded = 0
    for name, library in described(names):
        driver = driver_of(name)
        folder = (pathlib.Path(where) / name).resolve()
        if not driver:
            continue
        if not (folder / "protocol.lua").is_file() or \
                not INSTALLED[library["package"]["from"]](library, folder / ".drive"):
            print("not here", name, flush=True)
            continue
        shutil.copy(LIBRARIES / name / driver, folder / ".drive")
        came, said = recording_of(lockstep, folder, driver, library["drive"].get("flags", ""))
        expected = ("differs", "nothing alike") if "differs" in library["drive"] else ("alike",)
        right = came["verdict"] in expected
        wrong += not right
        recorded += 1
        print("ok     " if right else "FAILED ", name, came["verdict"],
              f"({came.get('alike', 0)} requests alike, {came.get('acquired', 0)} times acquired)", flush=True)
        if not right:
            print(json.dumps(came.get("difference"), indent=2), said, sep="\n", flush=True)
    print(f"{recorded} recorded, {wrong} not as expected")
    return 0 if recorded and not wrong else 2


def sentence_about(name, library):
    """What recording the real package has shown of the model; "" without a driver."""
    driver = driver_of(name)
    if not driver:
        return ""
    drive = library["drive"]
    if "differs" in drive:
        return f" {drive['differs']}"
    but = f", but for {drive['but']}" if "but" in drive else ""
    return f" What the package really sends was recorded, and is what this model sends{but} (`{driver}`)."


def row_of(each):
    verdict = each["verdict"]
    if verdict == "violated":
        verdict = f"{each['property']} fails, {each['steps']} steps"
    reported = each.get("issue", "")
    return f"| `{each['flags'] or '(no fault)'}` | {verdict} | {each['because']} | {reported} |\n"


def page_text():
    text = INTRODUCTION
    for name, library in described([]):
        package = library.get("package")
        source = library.get("no_package")
        if package:
            source = f"{package['from']}, `{package['name']}` {package['version']}"
        text += f"\n## {library['library']} {library['version']}\n\n"
        keeps = library["keeps"][0].upper() + library["keeps"][1:].rstrip(".")
        text += f"{library['language']}; {source}. {keeps}. (`protocols/libraries/{name}`)"
        text += f"{sentence_about(name, library)}\n\n"
        text += "| flags | verdict | why | reported |\n|---|---|---|---|\n"
        text += "".join(row_of(each) for each in library["checks"])
    return text


def main(words):
    match words:
        case ["fetch", where, *names]:
            pathlib.Path(where).mkdir(parents=True, exist_ok=True)
            fetch(where, names)
        case ["check", lockstep, where, *names]:
            return check(lockstep, where, names)
        case ["record", lockstep, where, *names]:
            return record(lockstep, where, names)
        case ["page"]:
            PAGE.write_text(page_text())
        case ["page", "--check"]:
            if PAGE.read_text() != page_text():
                print("docs/libraries.md is not what library.json says: tools/libraries.py page writes it")
                return 2
        case _:
            print(__doc__, file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unusable as error:
        print(f"libraries.py: {error}", file=sys.stderr)
        sys.exit(3)
