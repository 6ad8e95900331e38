"""Measures lockstep and SPIN in turns, three times each, and prints the medians. Every figure is of the whole process:
wall clock from start to exit, and peak memory; below the table stands what lockstep says of itself."""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

CLIENTS, ROUNDS, PAUSES = 3, 4, 3

# A pause breaks the lock's mutual exclusion within a few steps. foreign-release holds, so that nothing ends the search
# but its bound: the whole space, with every message in the network, is more than a benchmark wants to wait for.
LOCKSTEP = ["build/lockstep", "check", "set-token-lua", f"--clients={CLIENTS}", f"--rounds={ROUNDS}",
            f"--fault=pause={PAUSES}", "--property=foreign-release", "--json"]
SPIN_MODEL = "bench/peers/m3_token_rel.pml"
SPIN_PARAMETERS = [f"-DN={CLIENTS}", f"-DR={ROUNDS}", f"-DNPAUSE={PAUSES}", "-DTTL=3", "-DW=1", "-DPLEN=3",
                   "-DPROP=0"]


@dataclass
class Contender:
    """A program to measure: its command, how to read its number of states, and the runs so far."""
    name: str
    command: list
    states_of: object
    ends_well: tuple = (0,)
    seconds: list = field(default_factory=list)
    cpu_seconds: list = field(default_factory=list)
    kilobytes: list = field(default_factory=list)
    states: int = 0
    output: str = ""

    def run(self):
        with tempfile.TemporaryFile("w+") as out:
            start = time.monotonic()
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.monotonic() - start)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            self.output = out.read()
        if process.returncode not in self.ends_well:
            sys.exit(f"{' '.join(self.command)}: exit code {process.returncode}\n{self.output[-2000:]}")
        self.cpu_seconds.append(usage.ru_utime + usage.ru_stime)
        self.kilobytes.append(usage.ru_maxrss)
        self.states = self.states_of(self.output)

    def row(self):
        seconds = statistics.median(self.seconds)
        bytes_a_state = statistics.median(self.kilobytes) * 1024 / self.states
        return (f"{self.name:<20} {self.states:>12,} {seconds:>9.2f} {statistics.median(self.cpu_seconds):>9.2f}"
                f" {self.states / seconds:>14,.0f} {bytes_a_state:>12.1f}")


def spin_states(output):
    return int(float(re.search(r"([0-9.e+]+) states, stored", output).group(1)))


def lockstep_states(output):
    return json.loads(output)["statistics"]["states"]


def spin_contenders(folder):
    """Generates and compiles SPIN's verifiers as its manual advises; nothing if SPIN or GCC is not there."""
    if not shutil.which("spin") or not shutil.which("gcc"):
        print("SPIN is not installed (apt-get install spin gcc): its rows are left out\n", file=sys.stderr)
        return []
    shutil.copy(SPIN_MODEL, folder)
    model = os.path.basename(SPIN_MODEL)
    subprocess.run(["spin", *SPIN_PARAMETERS, "-a", model], cwd=folder, check=True)
    contenders = []
    for name, flags in (("SPIN breadth-first", ["-DBFS"]), ("SPIN depth-first", [])):
        binary = os.path.join(folder, "pan" + "".join(flags))
        subprocess.run(["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", *flags, "-o", binary, "pan.c"], cwd=folder,
                       check=True)
        contenders.append(Contender(name, [binary, "-E", "-m10000"], spin_states))
    return contenders


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each, of which the median counts (default 3)")
    parser.add_argument("--states", type=int, default=20_000_000,
                        help="where lockstep's search ends (default 20,000,000; 0: nowhere)")
    arguments = parser.parse_args()
    bounds = [f"--max-states={arguments.states}"] if arguments.states else ["--max-memory=1000000"]

    with tempfile.TemporaryDirectory() as folder:
        lockstep = Contender("lockstep", LOCKSTEP + bounds, lockstep_states, ends_well=(0, 2))
        contenders = [lockstep, *spin_contenders(folder)]
        for _ in range(arguments.runs):
            for contender in contenders:
                contender.run()

    report = json.loads(lockstep.output)
    figures = report["statistics"]
    print(f"SET NX with a token, compare-and-delete: {CLIENTS} clients, {ROUNDS} rounds, {PAUSES} pauses; medians of "
          f"{arguments.runs}, whole process\n")
    print(f"{'':<20} {'states':>12} {'seconds':>9} {'of CPU':>9} {'states/second':>14} {'bytes/state':>12}")
    for contender in contenders:
        print(contender.row())
    print(f"\nlockstep: {report['verdict']}, {report.get('why_inconclusive', 'the whole space')};\n"
          f"{figures['transitions']:,} transitions; visited set {figures['visited_bytes'] / figures['states']:.1f} "
          f"bytes a state, parents included;\n"
          f"really run: {figures['program_runs']:,} client programs, {figures['script_runs']:,} scripts, "
          f"{figures['command_runs']:,} commands. Everything else was looked up.")
    if len(contenders) > 1:
        print("The spaces are not the same: SPIN searches a model of the lock in ticks (TTL 3, work 1), lockstep the\n"
              "real script and client with its messages in the network. What compares is the cost of a state.")


if __name__ == "__main__":
    main()
