// What `--help` says beside the flags: one text a command, with examples.
#pragma once

namespace lockstep::cli::help {

inline constexpr const char* kAbout =
    R"(Runs the exact Redis scripts and commands of a lock protocol in a simulated world, explores every order of
events within stated bounds, and shows the shortest run that breaks the lock.
)";

inline constexpr const char* kFooter = R"(
To begin with:
  lockstep learn                            why locks fail, one lesson at a time
  lockstep list                             what is shipped
  lockstep check exists-set                 why EXISTS + SET fails, as a shortest counterexample
  lockstep check set-token-lua --fault pause=1
  lockstep test                             every shipped scenario, and what it expects
  lockstep report site                      the same as a folder of pages
  lockstep matrix                           every rung of the ladder against every fault
  lockstep diff ./my-lock.old ./my-lock     did a change make the lock weaker?
  lockstep why set-token-lua                which part of a lock is there for what?
  lockstep record ./my-lock -- ./app        does my client send what my protocol.lua sends?
  lockstep shell                            a prompt on the simulated Redis

Exit codes: 0 as expected, 1 violated, 2 inconclusive or vacuous, 3 bad input, 4 a bug of lockstep.
)";

inline constexpr const char* kCheckFooter = R"(
PROTOCOL is a shipped name or a folder that holds protocol.lua; SCENARIO a shipped name or a JSON file. A
protocol is checked with two clients that lock, work 3000 ms and unlock, a lease of 10000 ms and no faults.
A scenario says all this itself and what it expects: exit code 0 if that is what comes out. A flag that
changes what is simulated overrides the scenario, whose expectation is then not judged.

Examples:
  lockstep check set-token-lua                          holds without faults?
  lockstep check set-token-lua --fault pause=1          and if a client may pause once?
  lockstep check set-token-lua --work-ms 15000          and if the work outlasts the lease?
  lockstep check ./my-lock --fault crash=1,lose=1 --trace my.trace.json
  lockstep check fencing --resource fenced --fault pause=1 --property no-lost-update
  lockstep check set-token-lua --fault pause=1 --audit  does the naive explorer agree?
  lockstep check ./my-lock --waits-ms 20000             does anybody wait for longer than 20 s?
  lockstep check ./my-lock --invariants claims.lua      and is what I claim of it true?

  lockstep check set-token-lua --fault pause=1 --format html --out pause.html

`lockstep list faults` and `lockstep list properties` explain the names.
)";

inline constexpr const char* kReplayFooter = R"(
A scenario that searches is searched again, and what it finds is told; a schedule is walked; a trace is run
again from its schedule, by the naive explorer, and refused if its protocol has changed since.

--format html draws the run in one file for a browser; markdown tells it with a Mermaid diagram, and mermaid
is that alone; shiviz is a log with vector clocks for ShiViz (https://bestchai.bitbucket.io/shiviz/).

With --interactive you are asked before each step: next, back, else (what else is possible here), take N,
quit. The answers may come from a pipe.

With --live a real redis-server (7.0 is what the simulator imitates) is sent the same requests in the same
order, times divided where the protocol allows it; every reply and every key is compared. It ends with
CONFIRMED, or with the first step that differs (exit code 1), or says why it cannot be done live (2).

Examples:
  lockstep replay my.trace.json
  lockstep replay set-token-lua-pause --interactive
  lockstep replay set-token-lua-pause --format html > pause.html
  lockstep replay set-token-lua-pause --format mermaid
  lockstep replay set-token-lua-pause --live
  lockstep replay my.trace.json --live --redis redis://localhost:6379/5
  printf 'next\nelse\nquit\n' | lockstep replay set-token-lua-pause --interactive
)";

inline constexpr const char* kLiveFooter = R"(
Every client is a thread with connections of its own, real clocks and random tokens. A protocol is run with
4 clients that lock, work 5 ms and unlock until --seconds are over, a lease of 10000 ms; a scenario's
clients do what it says, without its faults: nothing is provoked here. A protocol of several nodes (redlock)
runs on as many servers, started for it or named by --redis, once for each.

Judged are all properties: leak and deadlock at the end (by a fresh client), the others as it goes. To know
who made a key, each request is sent in a transaction that counts and looks at the lease keys; where that
cannot be followed (docs/live.md), foreign-release, foreign-extend, honest-result and reentrancy are not
judged, and the output says why; nor are the last two on several nodes.

A live run can show that a lock fails, never that it does not: exit code 0 if nothing was violated, 1 if
something was, 2 if nobody acquired or nothing could be judged.

ADDRESS is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///PATH. A server on which a key of the
protocol exists already is refused; the protocol's keys, and one that counts, are removed at the end.

Examples:
  lockstep live set-token-lua
  lockstep live exists-set --clients 8 --seconds 5
  lockstep live set-token-lua --lease-ms 1000 --work-ms 1200
  lockstep live ./my-lock --redis redis://:secret@localhost:6379/5
  lockstep live redlock --redis redis://one --redis redis://two --redis redis://three
)";

inline constexpr const char* kLearnFooter = R"(
Walks through docs/guide.md: a lesson asks a question, you choose an answer, and the run shows whether it is right.
The runs are made while you wait. In a pipe everything is printed, and nobody is asked.

At a prompt: Enter goes on; b (back) is the lesson before, c (contents) lists the lessons, a number goes to one;
p (picture) writes the last run as an HTML page, lockstep-SCENARIO.html; q quits. Where letters are answers, the
words in brackets mean the same.

Examples:
  lockstep learn
  lockstep learn --list
  lockstep learn 4
  lockstep learn fencing
  lockstep learn | less
  lockstep learn fencing --json
  lockstep learn --language zh
)";

inline constexpr const char* kListFooter = R"(
Examples:
  lockstep list
  lockstep list faults
  lockstep list scenarios --filter pause
  lockstep list --all
  lockstep list scenarios --json
)";

inline constexpr const char* kTestFooter = R"(
A folder stands for every scenario (*.json) in it and below it. Each is compared with what it expects: `ok`,
`FAILED` with what was expected and what came, or `BROKEN` where the file or its protocol is bad input; the
others still run. Ctrl-C ends it with what was covered.

The exit code is that of the worst: 4 a bug of lockstep, then 3 a broken file, 1 not as expected, 2 a limit
was reached or nothing happened, 0 all as expected.

Examples:
  lockstep test                                 every shipped scenario
  lockstep test ./scenarios --junit result.xml  for a CI server
  lockstep test --filter fencing --audit        and does the naive explorer agree?
  lockstep test my.json set-token-lua-pause --max-seconds 60
)";

inline constexpr const char* kReportFooter = R"(
Writes DIR/index.html, with every scenario and what came of it (what is not as expected comes first), and a
page for each in DIR/runs: its shortest counterexample as a diagram, step by step. The pages need no network,
and may be put anywhere. A report that is there already is replaced. The exit code is that of `lockstep test`.
With --matrix the index has a table for each protocol, as of `lockstep matrix`, whose violated cells lead to the runs.

Examples:
  lockstep report site                     every shipped scenario
  lockstep report site locks/scenarios     your own
  lockstep report site --filter redlock
  lockstep report site --matrix ./my-lock --matrix set-token-lua
)";

inline constexpr const char* kMatrixFooter = R"(
Of several protocols each gets a row, and each fault, allowed once, a column: `holds` with the number of
states, or the property that a shortest counterexample violates with its number of steps. A second
table counts for each property under how many of these faults it is violated: what one lock is better at than
another. Without --property a third one is for no-lost-update alone, which shows what fencing tokens spare the
resource. On a terminal that is too narrow the tables are folded.

One protocol gets a row for each of some forty conditions and a column for each property, all judged
separately; `lockstep list conditions` explains them.

The resource checks fencing tokens where a protocol has them (--resource fenced) unless you say otherwise,
and a search ends after 2000000 states (--max-states). n/a: the fault can never happen here (a jump where no
clock is read and nothing expires), or the condition needs a re-entrant lock. --json holds nothing that
differs from run to run: keep it, and `lockstep diff --baseline` compares with it.

Examples:
  lockstep matrix                                      the ladder against every fault
  lockstep matrix set-token-lua                        one protocol, in detail
  lockstep matrix ./my-lock set-token-lua --markdown
  lockstep matrix ./my-lock --json > my-lock.matrix.json
)";

inline constexpr const char* kDiffFooter = R"(
OLD and NEW are protocols: shipped names, folders, or git revisions of a folder, written as git writes them
(REVISION:FOLDER). Both are judged under every condition of `lockstep list conditions`, each property for
itself. A verdict got weaker if what held is violated, vacuous or not known any more, or if the lock is no
longer re-entrant; a shortest counterexample of another length is a change, not a weakness. The
counterexample to the first weaker verdict is shown. Exit code 1 if any got weaker, else 2 if --max-seconds
has cut any off, else 0. A folder that a git revision of it does not have is new, or deleted: there is
nothing to compare with.

--baseline FILE compares NEW with verdicts that `lockstep matrix NEW --json` stored, in the world in which
they were judged.

Examples:
  lockstep diff ./my-lock.old ./my-lock
  lockstep diff origin/main:locks/my-lock locks/my-lock     in CI, on a pull request
  lockstep diff set-token-lua ./my-lock --clients 3 --lease-ms 30000
  lockstep diff ./my-lock.old ./my-lock --format markdown   as a comment on a pull request
  lockstep diff --baseline my-lock.matrix.json ./my-lock
)";

inline constexpr const char* kNewFooter = R"(
The lock is a random token with a lease, and compare-and-delete. lockstep.lua has the whole API with LuaLS
annotations, so that an editor completes and checks it; lockstep.yml is a workflow for GitHub.

Examples:
  lockstep new my-lock
  lockstep check ./my-lock --fault pause=1
)";

inline constexpr const char* kRecordFooter = R"(
Is the model my code? COMMAND is run beside an empty redis-server, whose address it finds in REDIS_URL, REDIS_HOST
and REDIS_PORT (or where a word of it says {url}, {host} or {port}), and all that it sends is kept. Then a client
program of protocol.lua hears the same replies, and has to send the same: commands, scripts byte for byte, keys and
arguments in their order. Tokens and the key's name may be others, but the same ones again; a time may be read a
little earlier. What a library sends to set up its connections, and what is about other keys, is counted only.

A log of `redis-cli MONITOR` does as well, if it begins before anybody has the lock. Exit code 0: alike; 1: it
differs, with the first request that does; 2: nothing in the log is like what protocol.lua begins with.

Examples:
  lockstep record ./my-lock -- python3 app.py
  lockstep record ./my-lock --keep app.log -- ./integration-test --redis {url}
  lockstep record ./my-lock --monitor app.log --lease-ms 30000
)";

inline constexpr const char* kWhyFooter = R"(
What does each part of a protocol do for it? Its scripts and protocol.lua are read: options (NX, a lifetime),
lifetimes given by a command of their own, comparisons that decide, unique(), tasks, and the resource's check of
fencing tokens. Each is taken away by itself (a comparison is still made, but taken as always true, or always
false), and what is left is judged under the conditions of `lockstep list conditions`, in their order, until a
verdict is worse than the whole protocol's. What a client needs that is alone is not shown.

Examples:
  lockstep why set-token-lua
  lockstep why set-token-lua --show 2     and tell the run of row 2
  lockstep why ./my-lock --clients 3
)";

inline constexpr const char* kGraphFooter = R"(
Each state that can come about, as a box with what each client is at and what is stored, and each step between
two of them; of time, only the points at which something ends. Small models alone can be looked at: few
clients, one round, no fault or one. Faults are dashed, a state that violates a property is red. Without --out
the graph is printed in Graphviz's language. States beyond --max-states are left out, and it is said.

Examples:
  lockstep graph exists-set --out exists-set.svg
  lockstep graph setnx --clients 1 --fault crash=1 | dot -Tpdf > setnx.pdf
)";

inline constexpr const char* kEvalFooter = R"(
The keys, a comma, the arguments: as redis-cli --eval takes them. The reply is printed as redis-cli does.
The keyspace is empty but for what --set and --load put there; the clock stands still at --clock (Unix time
in milliseconds; without it 2026-01-01T00:00:00Z). A file of commands has one a line, as typed into
redis-cli.

With --trace each line of the script is shown as it is reached, with what it called and how the keys
changed. Exit code 1 if the reply is an error, 3 if the script does not compile or cannot be run faithfully.

Examples:
  lockstep eval release.lua lock , my-token
  lockstep eval release.lua lock , my-token --set lock=my-token --trace
  lockstep eval renew.lua lock , my-token 30000 --load prepare.txt --json
  echo 'return redis.call("time")' | lockstep eval - --clock 1700000000000
)";

inline constexpr const char* kShellFooter = R"(
Commands and replies are those of redis-cli; the server is the simulated one, empty, and its clock stands
still until you move it. What Redis does not have begins with a dot: .advance 5s, .keys, .session (another
connection), .step FILE (a script line by line); .help lists it. From a pipe there is no prompt, and a bad
line does not end it.

Examples:
  lockstep shell
  lockstep shell --load prepare.txt --clock 1700000000000
  printf 'set lock a px 30000\n.advance 31s\nget lock\n' | lockstep shell
)";

inline constexpr const char* kCompletionFooter = R"(
Examples:
  source <(lockstep completion bash)
  lockstep completion zsh > ~/.zfunc/_lockstep
  lockstep completion fish > ~/.config/fish/completions/lockstep.fish
)";

inline constexpr const char* kManFooter = R"(
Examples:
  lockstep man | man -l -
)";

inline constexpr const char* kConformFooter = R"(
Random commands, scripts and transactions go to both, in batches; each batch ends with a comparison of all
keys. What differs is shortened to the fewest commands that show it, and printed as a session. The shipped
protocols' scripts are among the commands. Where Redis itself answers at random, only what is certain is
compared.

ADDRESS is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///PATH. The server's keys are deleted
again and again: one that holds any is refused, unless --flush says that they may go. 7.0 is what is
imitated; without --redis a redis-server of our own is started and stopped. Exit code 0 if nothing differed,
1 if something did. --seed repeats a run.

Examples:
  lockstep conform --seconds 10
  lockstep conform --redis redis://localhost:6379 --commands 1000000
  lockstep conform --seed 7 --commands 20000
)";

}  // namespace lockstep::cli::help
