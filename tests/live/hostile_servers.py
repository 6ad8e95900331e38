#!/usr/bin/env python3
"""What listens at the address and is no Redis server, or a bad one, is refused in one line.

    tests/live/hostile_servers.py build/lockstep
"""
import concurrent.futures
import socket
import subprocess
import sys
import threading
import time

# What each answers a chunk of requests with: bytes, sent once, or again and again.
ONCE = {
    "+OK to everything": b"+OK\r\n" * 3,
    "a number": b":1\r\n",
    "nothing": b"$-1\r\n",
    "an error": b"-ERR no\r\n",
    "an impossible length": b"$-5\r\n",
    "a reply of RESP3": b"%1\r\n+a\r\n+b\r\n",
    "any bytes": bytes(range(256)),
    "control characters": b"+\x1b[2JHOLDS\r\n",
    "silence": b"",
    "half a reply": b"$8\r\nlock",
}
WITHOUT_END = {
    "no protocol": (b"", b"x" * 65536),
    "a long string": (b"$500000000\r\n", b"x" * 65536),
    "a long line": (b"+", b"x" * 65536),
    "a long array": (b"*1000000000\r\n", b":1\r\n" * 10000),
    "arrays in arrays": (b"", b"*1\r\n" * 1000),
}
SECONDS = 15  # what waits for an answer waits for 10
MEBIBYTES = 400


def serve(listener, first, again):
    while True:
        try:
            peer, _ = listener.accept()
            peer.recv(65536)
            peer.sendall(first)
            while again:
                peer.sendall(again)
            peer.recv(65536)
        except OSError:
            if listener.fileno() < 0:
                return


def refused(lockstep, first, again):
    """What is wrong with how it ends; nothing if all is well."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener, first, again), daemon=True).start()
        address = f"redis://127.0.0.1:{listener.getsockname()[1]}"
        began = time.monotonic()
        try:
            ended = subprocess.run(["prlimit", f"--data={MEBIBYTES << 20}",
                                    lockstep, "live", "set-token-lua", "--redis", address, "--seconds", "1"],
                                   capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"goes on for more than {SECONDS} s"
        said = ended.stdout + ended.stderr
        fine = ended.returncode == 3 and said.count("\n") == 1
        clean = all(c.isprintable() or c == "\n" for c in said)
        if fine and clean:
            return ""
        return f"{time.monotonic() - began:.1f} s, exit code {ended.returncode}: {said[:300]!r}"


def main(lockstep):
    servers = {name: (answer, b"") for name, answer in ONCE.items()} | WITHOUT_END
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as all_at_once:
        troubles = list(all_at_once.map(lambda answers: refused(lockstep, *answers),
                                        servers.values()))
    for name, trouble in zip(servers, troubles):
        if trouble:
            print(f"{name}: {trouble}")
    wrong = sum(trouble != "" for trouble in troubles)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
