"""Scripts and files of commands for `eval` and `shell`."""
from case import ANY, Case

NO_SCRIPTS = [b"return (", b"return 1 1", b"x = ", b"end", b"local function", b"return '\\xzz",
              b"\x1bLua",
              b"\x00", b"\xff\xfe\xfd", b"if true then", b"goto x", b"return 1 // 2", b"[[",
              b"--[[",
              b"for i = 1 do end", b"return 1 & 2", b"#!/bin/sh\nx", b"return {", b"(" * 1000,
              b"return " + b"{" * 500, b"a." * 3000]
# Redis answers them with an error, or they are refused.
FAILING = [b"error('x')", b"return x", b"x = 1", b"os.exit(1)", b"io.open('x')", b"require 'x'",
           b"while true do end", b"local function f() return f() + 1 end return f()",
           b"return ('x'):rep(1e10)", b"return redis.call()", b"return redis.call('nope')",
           b"return redis.call('set', {}, 1)", b"return redis.call('get')",
           b"redis.call('blpop', 'x', 0)",
           b"local t = {} t.t = t return t", b"return string.format('%d', 'x')",
           b"return cjson.decode('{')", b"return cjson.decode(('['):rep(5000))",
           b"return cmsgpack.unpack('\\193')", b"return struct.unpack('>I9', 'x')",
           b"return redis.call('eval', 'return 1', 0)", b"return redis.sha1hex()",
           b"return bit.band()", b"return redis.call('shutdown')", b"return redis.call('config')",
           b"local s = 'x' while true do s = s .. s end",
           b"return ('a'):find(('.-'):rep(30) .. 'b')",
           b"return setmetatable({}, {__index = error}).x", b"return loadstring('return (')()",
           b"return coroutine.wrap(function() error({}) end)()", b"return redis.status_reply()",
           b"return redis.setresp(9)", b"redis.replicate_commands(1, 2) return KEYS[0]",
           b"for i = 1, 1e9 do redis.call('rpush', 'l', i) end"]
NO_COMMANDS = [b"set 'a", b'set "a', b'set "a"b c', b"nope", b"set a", b"get a b", b"\x00", b"\xff",
               b"eval", b"eval x 1", b"set a b px -1", b"incrby a x",
               b"expire a 99999999999999999999",
               b"setrange a 536870912 x", b".nope", b"client", b"\"\\x\"", b"blpop l 0"]
NO_LINES = [b".advance", b".advance x", b".advance -5s", b".advance 99999999999999999999s",
            b".session x",
            b".step", b".step nofile", b".keys x y", b".", b"..", b"multi\nnope\nexec",
            b"subscribe a\nget b",
            b"select 99", b"\x1b[2J", b"eval 'return (' 0", b"hello 3", b"monitor", b"quit now",
            b"a" * 100000, b"debug segfault", b"shutdown", b"client pause 99999999999999999999"]


def cases(random, _):
    for script in NO_SCRIPTS:
        yield Case(["eval", "s.lua"], ("s.lua",), {"s.lua": script}, ANY)
        yield Case(["eval", "-"], (), {}, ANY, stdin=script)
    for script in FAILING:
        yield Case(["eval", "s.lua", "k", ",", "v", *random.choice([[], ["--json"], ["--trace"]])],
                   (), {"s.lua": script}, ANY)
    for line in NO_COMMANDS:
        loaded = {"c": b"set a b\n" + line + b"\n"}
        yield Case(["eval", "s.lua", "--load", "c"], ("c:2",), loaded | {"s.lua": b"return 1"}, ANY)
        yield Case(["shell", "--load", "c"], ("c:2",), loaded, ANY)
    for line in NO_COMMANDS + NO_LINES:
        yield Case(["shell", *random.choice([[], ["--json"]])], (), {}, ANY,
                   stdin=line + random.choice([b"", b"\n", b"\r\n"]))
    for words in (["--set", "x"], ["--set", ""], ["--set"]):
        yield Case(["eval", "s.lua", *words], ("--set",), {"s.lua": b"return 1"})
    for words in (["nope.lua"], ["."], ["/proc/self/mem"], ["/nope/x.lua", ","]):
        yield Case(["eval", *words], (words[0],))
