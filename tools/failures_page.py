#!/usr/bin/env python3
"""Writes docs/failures.md from the scenarios: which documented failure is which scenario.

usage: tools/failures_page.py [--check]

With --check nothing is written; exit code 1 if the page is not what the scenarios say.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "failures.md"
HEAD = """# Documented failures

Written by `tools/failures_page.py` from `scenarios/`. Each number is a failure that somebody has
met, reported or argued; under it are the scenarios that show it, and those that show what mends it
(or that it does not happen). `lockstep check SCENARIO` finds the run again, `lockstep replay
SCENARIO` tells it. Where the flags of a scenario say nothing else, messages take no time.

| | scenario | what happens | protocol | expected | where it comes from |
|---|---|---|---|---|---|
"""


# What has no scenario, and why.
WITHOUT = [
    ("H05", "a latch collects permits, and its waiter spins",
     "what a loop costs is not judged: it hurts no lock"),
    ("H08", "a signal that nobody needs wakes a waiter in vain",
     "no property is hurt, for the waiter looks again; `signal-list` holds with it"),
    ("H14", "each new look adds five seconds to what others in the queue have to wait",
     "takes hundreds of looks until it hurts: more than a search goes through"),
]

NUMBER = r"[A-K]\d{2}[a-z]?"
REMARK = r"(?: \(fixed[^)]*\))?"
NUMBERS = re.compile(
    rf"(?:failures )?catalogue {NUMBER}{REMARK}(?:(?:, | and | with ){NUMBER}{REMARK})*")


def numbers(source):
    """The numbers that a source names behind the word "catalogue": B01, E02a."""
    return [number for names in NUMBERS.findall(source) for number in re.findall(NUMBER, names)]


def without_numbers(source):
    """What else the source says; a remark on a number belongs to what stands before it."""
    rest = []
    for part in NUMBERS.sub("", source).split(";"):
        part = part.strip(" ,")
        if part.startswith("(") and rest:
            rest[-1] += " " + part
        elif part:
            rest.append(part)
    return "; ".join(rest) or "lockstep's own form of it"


def expected(scenario):
    """'violated, deadlock, 5 steps'"""
    expect = scenario["expect"]
    words = [expect["verdict"]]
    if "property" in expect:
        words.append(expect["property"])
    if "steps" in expect:
        words.append(f"{expect['steps']} steps")
    return ", ".join(words)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def page():
    rows = []
    for file in sorted((ROOT / "scenarios").glob("*.json")):
        scenario = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(scenario, dict) or "protocol" not in scenario:
            continue
        for number in numbers(scenario["source"]):
            verdict = scenario["expect"]["verdict"]
            rows.append((number, verdict != "violated", file.stem, scenario))
    rows.sort(key=lambda row: row[:3])
    text = HEAD
    before = None
    for number, _, name, scenario in rows:
        shown = number if number != before else ""
        before = number
        columns = [shown, f"`{name}`", scenario["title"], f"`{scenario['protocol']}`",
                   expected(scenario), without_numbers(scenario["source"])]
        text += "| " + " | ".join(cell(column) for column in columns) + " |\n"
    count = len({row[0] for row in rows})
    text += f"\n{count} failures, {len({row[2] for row in rows})} scenarios.\n"
    text += "\nWithout a scenario:\n\n| | what happens | why |\n|---|---|---|\n"
    return text + "".join(f"| {number} | {what} | {why} |\n" for number, what, why in WITHOUT)


def main():
    text = page()
    if sys.argv[1:] == ["--check"]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/failures.md is not what the scenarios say: tools/failures_page.py writes it")
        return 1
    if sys.argv[1:]:
        print(__doc__)
        return 3
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
