"""Addresses of servers: malformed, with nobody there, with what is no socket."""
from case import Case

COMMANDS = [["live", "set-token-lua"], ["conform"], ["replay", "set-token-lua-pause", "--live"]]
MALFORMED = [
    "", " ", "x", "redis", "redis:", "redis:/", "redis://", "redis:///", "redis:///0",
    "http://localhost",
    "rediss://localhost", "REDIS://localhost", " redis://localhost", "127.0.0.1:6379", "localhost",
    "redis://:6379", "redis://localhost:", "redis://localhost:x", "redis://localhost:-1",
    "redis://localhost:0", "redis://localhost:65536", "redis://localhost:99999999999999999999",
    "redis://localhost:6379x", "redis://localhost:6379:6379", "redis://localhost:63 79",
    "redis://localhost:0x1", "redis://localhost:1.5", "redis://localhost/x", "redis://localhost/-1",
    "redis://localhost/1x", "redis://localhost/99999999999999999999", "redis://localhost/1/2",
    "redis://localhost/ 1", "redis://localhost?db=1", "redis://[::1", "redis://::1", "redis://[]",
    "redis://[::1]x", "redis://[::1]:", "redis://%zz@localhost", "redis://%4@localhost",
    "redis://a:%@localhost", "redis://@", "redis://a:b@", "redis://a:b@:1", "redis://localhost#1",
    "unix://", "unix://x", "unix:/tmp", "unix:", "unix", "redis+unix:///x", "redis://localhost\n:1",
    "\x1b[2J", "redis://\x1b[2J:x", b"redis://\xff\xfe:x", "redis://" + "a" * 5000 + ":x",
    "redis://localhost:" + "9" * 5000]
NOBODY = [
    "redis://127.0.0.1:1", "redis://127.0.0.1:1/5", "redis://user:secret@127.0.0.1:1",
    "redis://:secret@127.0.0.1:1/0", "redis://[::1]:1", "redis://127.0.0.1:65535",
    "redis://0.0.0.0:1", "redis://1.2.3:1x", "redis://300.1.1.1:1", "redis://" + "a" * 300 + ":1",
    "redis://\x01:1", "unix:///nope", "unix:///", "unix:///tmp", "unix:///dev/null",
    "unix:///proc/self/exe", "unix:///" + "a" * 300, "unix:///etc/passwd", "unix:////",
    "unix:///\n"]


def cases(*_):
    for command in COMMANDS:
        for address in MALFORMED:
            yield Case([*command, "--redis", address], ("--redis",))
        for address in NOBODY:
            scheme = address.partition("//")[0]
            yield Case([*command, "--redis", address], (scheme,))
