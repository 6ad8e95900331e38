"""Protocols: no Lua, no protocol, every function of docs/protocols.md used wrongly at the top, in
acquire() and in release(), loops without end, ways out of the sandbox, scripts that do not work."""
import documents
import scenarios
from case import ANY, Case, REFUSED, SHORT

HEAD = "local release = script 'release.lua'\nlocal L = protocol { title = 't', source = 's' }\n"
TAKE = ("self.token = unique() "
        "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK")
GIVE = "return release({ self.key }, { self.token }) == 1"
SCRIPT = (b"if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
          b"return redis.call('del', KEYS[1])")

# Refused when it is loaded, with what is to be said.
NO_PROTOCOLS = [
    ("", "protocol.lua"), ("return 1", "protocol.lua"), ("\x1bLua", "protocol.lua"),
    ("return protocol { title = 't', source = 's' }", "acquire"), ("\0", "protocol.lua"),
    ("local L = protocol {} return L", "protocol.lua"), ("protocol()", "protocol.lua"),
    ("protocol(1)", "protocol.lua"), ("local L = protocol { titel = 't' } return L", "title"),
    ("local L = protocol { title = 't', source = 's', leses = {} } return L", "leases"),
    ("local L = protocol { title = 't', source = 's', server = 'redis-7.3' } return L", "redis-7"),
    ("local L = protocol { title = 't', source = 's', leases = 1 } return L", "leases"),
    ("local L = protocol { title = 't', source = 's', leases = { 1 } } return L", "leases"),
    ("local L = protocol { title = 't', source = 's', leases = { '*' } } return L", "leases"),
    ("local L = protocol { title = 't', source = 's', permanent = 'x' } return L", "permanent"),
    ("local L = protocol { title = 't', source = 's', shared_connection = 1 } return L", "shared"),
    ("local L = protocol { title = {}, source = 's' } return L", "title"),
    (HEAD + "function L:acquir() end function L:release() end return L", "acquire"),
    (HEAD + "function L:acquire() end function L:realease() end return L", "release"),
    (HEAD + "L.acquire = 1 L.release = 1 return L", "acquire"),
    (HEAD + "function L.acquire() end function L.release() end return {}", "protocol"),
    (HEAD + "protocol { title = 't', source = 's' } return L", "protocol"),
    (HEAD + "while true do end", "instructions"), (HEAD + "error('no')", "no"),
    (HEAD + "error()", "protocol.lua"), (HEAD + "error({})", "protocol.lua"),
    (HEAD + "error(setmetatable)", "setmetatable"), (HEAD + "local x <const> = 1 x = 2", "x"),
    (HEAD + "local function f() return f() + 1 end f()", "protocol.lua"),
    (HEAD + "local function f() local ok = pcall(f) return ok end f() f() error('x')",
     "protocol.lua"),
    (HEAD + "local s = ('x'):rep(1 << 40)", "protocol.lua"),
    (HEAD + "local t = {} for i = 1, 1e9 do t[i] = { i } end", "protocol.lua"),
    (HEAD + "local t = {} for i = 1, 1e5 do t = { t } end L.t = t", "protocol.lua"),
    (HEAD + "local f = print for i = 1, 1e5 do f = f end", "print"),
    (HEAD + "for i = 1, 200 do local g = L.f L.f = function() return g end end "
     "function L:acquire() end function L:release() end return L", "deep"),
    (HEAD + "L[{}] = 1 function L:acquire() end function L:release() end return L", "protocol.lua"),
    (HEAD + "L.i = ('x'):gmatch('x') function L:acquire() end function L:release() end return L",
     "iterator"),
    (HEAD + "goto nowhere", "nowhere"), (HEAD + "break", "break"), (HEAD + "x = = 1", "'='"),
    (HEAD + "return " + "(" * 300, "protocol.lua"),
    (HEAD + "local " + "a" * 100000, "protocol.lua"),
    (HEAD + "a." * 50000, "protocol.lua"), (HEAD + "return '\\xzz'", "hexadecimal"),
    (HEAD + "--[[", "comment"), (HEAD + "local t = " + "{" * 300, "protocol.lua"),
    (HEAD + "script 'nope.lua'", "nope.lua"), (HEAD + "script 'relase.lua'", "release.lua"),
    (HEAD + "script '../p/release.lua'", "script"), (HEAD + "script '/etc/passwd'", "/etc/passwd"),
    (HEAD + "script ''", "script"), (HEAD + "script()", "script"), (HEAD + "script(1)", "script"),
    (HEAD + "script '.'", "script"), (HEAD + "script('release.lua', { sah = true })", "sha"),
    (HEAD + "invariant()", "invariant"), (HEAD + "invariant('x')", "invariant"),
    (HEAD + "invariant(1, function() end)", "invariant"), (HEAD + "redis('GET', 'a')", "redis"),
    (HEAD + "sleep(1)", "sleep"), (HEAD + "now()", "now"), (HEAD + "unique()", "unique"),
    (HEAD + "choose(2)", "choose"), (HEAD + "spawn(function() end)", "spawn"),
    (HEAD + "log('x')", "log"), (HEAD + "mutex()", "mutex"), (HEAD + "retry(error)", "retry"),
    (HEAD + "every(1, error)", "every"), (HEAD + "task_local()", "task_local"),
]
# Not there: refused with what to do instead.
SANDBOX = ["os.exit(0)", "os.time()", "io.open('/etc/passwd')", "io.write('HOLDS')",
           "print('HOLDS')",
           "require 'os'", "load('return 1')()", "loadstring('x')", "dofile '/etc/passwd'",
           "loadfile 'x'", "debug.getinfo(1)", "coroutine.create(error)", "math.random()",
           "math.randomseed(1)", "setmetatable({}, {})", "getmetatable('')", "collectgarbage()",
           "rawset({}, 1, 1)", "rawget({}, 1)", "string.dump(error)", "package.loaded.os.exit()",
           "utf8.char(1)", "warn('x')", "getfenv(0)", "setfenv(1, {})", "rawequal(1, 1)",
           "rawlen({})"]
# Wrong uses of the client's API; some are errors that a client may well catch.
WRONG_USES = [
    "redis()", "redis(nil)", "redis({})", "redis('')", "redis('SETT', 'a')", "redis('SET')",
    "redis('SET', nil, 1)", "redis('SET', 'a', {})", "redis('SET', 'a', true)", "redis(1)",
    "redis('SET', 'a', 0/0)", "redis('SET', 'a', 1.5, 'PX', 1.5)", "redis('BLPOP', 'l', 0)",
    "redis('SUBSCRIBE', 'x')", "redis('SHUTDOWN')", "redis('DEBUG', 'SEGFAULT')",
    "redis('HELLO', 3)",
    "redis('MULTI') redis('NOPE')", "redis('EXEC')", "redis('CONFIG', 'SET', 'maxmemory', 1)",
    "redis('EVAL', 'return (', 0)", "redis('EVAL', 'while true do end', 0)", "redis('FLUSHALL')",
    "redis('EVAL', 'return 1', -1)", "redis('SELECT', 99)", "redis('SCRIPT', 'KILL')",
    "redis('WAIT', 1, 0)",
    "redis('SET', self.key, now())", "redis('SET', self.key, mutex())", "redis(('x'):rep(1e6))",
    "redis(redis)", "redis('SET', self.key, release)", "redis(table.unpack({}, 1, 1e5))",
    "call()", "call(1)", "call {}", "call { node = 0, 'GET', 'a' }",
    "call { node = 9, 'GET', 'a' }",
    "call { node = 'x', 'GET', 'a' }", "call { node = 1.5, 'GET', 'a' }",
    "call { nod = 1, 'GET', 'a' }",
    "call { timeout_ms = -1, 'GET', 'a' }", "call { timeout_ms = 0.5, 'GET', 'a' }",
    "call { timeout_ms = 'x', 'GET', 'a' }", "call { timeout_ms = 1 << 62, 'GET', 'a' }",
    "call { 'GET', nil, 'a' }", "call { nodes = { 1 }, 'GET', 'a' }",
    "call_all()", "call_all {}", "call_all { nodes = {}, 'GET', 'a' }",
    "call_all { nodes = 1, 'GET', 'a' }",
    "call_all { nodes = { 0 }, 'GET', 'a' }", "call_all { nodes = { 1, 1 }, 'GET', 'a' }",
    "call_all { nodes = { 'x' }, 'GET', 'a' }", "call_all { node = 1, 'GET', 'a' }",
    "sleep()", "sleep(-1)", "sleep(1.5)", "sleep('x')", "sleep(1e300)", "sleep(math.huge)",
    "sleep(1 << 62)", "sleep(0/0)", "sleep({})", "while true do sleep(0) end",
    "sleep(math.mininteger)",
    "log(now() + 'x')", "log(now() * 2)", "log(now() .. '')", "log(now() - monotonic())",
    "log(now() < 1)", "log(-now())", "log(#now())", "log(now().x)", "now().x = 1", "now()()",
    "log(now() + 1.5)", "log(now() + (1 << 62))", "log(monotonic() - (1 << 62) - (1 << 62))",
    "log(now() < monotonic())", "millis()", "millis(monotonic())", "millis(5)", "millis({})",
    "self.t = {} self.t[now()] = 1", "now(1, 2)", "unique(1)", "log(unique() + 1)",
    "choose()", "choose(0)", "choose(-1)", "choose(1.5)", "choose('x')", "choose(1e9)",
    "choose(256)",
    "choose(math.huge)", "spawn()", "spawn(1)", "spawn('x')", "spawn(redis)", "spawn(spawn, spawn)",
    "for i = 1, 300 do spawn(sleep, 1000) end", "local function f() spawn(f) end f()",
    "spawn(error, {})", "spawn(function() error() end)", "every()", "every(0, function() end)",
    "every(-1, function() end)", "every(1.5, function() end)", "every('x', function() end)",
    "every(5)",
    "every(5, 5)", "every(1 << 62, function() end)", "stop()", "stop(1)", "stop({})",
    "stop(mutex())",
    "alive()", "alive('x')", "stop(every(5, function() end)) ", "retry()", "retry(1)",
    "retry(function() end)", "retry(function() end, -1)", "retry(function() end, 'x')",
    "retry(function() return false end, 1.5)", "retry(error, 5)",
    "retry(function() retry(sleep, 1) end)",
    "mutex(1)", "mutex().lock()", "mutex():unlock()", "mutex():lock(1)", "mutex():nope()",
    "local m = mutex() m:lock() spawn(function() m:unlock() end) sleep(5)",
    "self.m = mutex() self.m:lock() spawn(function() self.m:lock() end) sleep(1e6)",
    "mutex() = 1", "lost()", "lost(1)", "lost({})", "lost(self) lost(self)", "log()", "log({})",
    "log(nil)", "log(('x'):rep(1e6))", "log('\\27[2J\\n')", "log('\\255\\0')", "task_id(1)()",
    "task_local().x = now task_local().y = task_local()", "self.key = 'x'", "self.ttl_ms = 1",
    "self.process = {}", "self.key.x = 1", "self.ttl_s = 'x'", "self = nil self.x = 1", "L = nil",
    "L.count = 1", "OK = 1", "redis = nil", "release = 1", "self[1.5] = 1", "self[{}] = 1",
    "self.f = ('x'):gmatch('x')", "self.t = {} for i = 1, 200 do self.t = { self.t } end sleep(1)",
    "self.t = {} for i = 1, 1e5 do self.t = { self.t } end sleep(1)",
    "self.s = ('x'):rep(1e8) sleep(1)",
    "self.f = function() return self.f end sleep(1) self.f()()", "self.p = print",
    "self.self = self sleep(1)",
    "release()", "release(1)", "release({})", "release({ 1 }, { {} })",
    "release({ self.key }, 'x')",
    "release({ self.key }, {}, { node = 9 })", "release({ self.key }, {}, { nod = 1 })",
    "release.source = 1", "release.nope()", "release({ nil, 1 }, { nil, 2 })", "release.sha1()",
    "script 'release.lua'", "protocol { title = 't', source = 's' }", "invariant('x', error)",
    "error()", "error(nil)", "error({})", "error(self)", "error(now())", "error('\\27[2J\\n\\r')",
    "error({ kind = {}, message = {} })", "error(('x'):rep(1e6))", "error(setmetatable)",
    "local x = nil + 1", "local x = self.nope.nope", "local x = {} .. 'x'", "local x = #5",
    "local x = 1 < 'x'",
    "local x = 1 // 0", "local x = 1 % 0", "local x = 1 << 1e300", "nope()", "('x'):nope()",
    "self:nope()",
    "string.format('%d', 'x')", "string.format('%s')", "('x'):rep(1 << 40)", "('x'):rep(-1 << 62)",
    "table.concat({ {} })", "table.unpack({}, 1, 1e9)",
    "table.sort({ 3, 1, 2 }, function() return true end)",
    "('a'):rep(50):find(('.-'):rep(30) .. 'b')", "('x'):find('[')", "('x'):gsub('x', '%9')",
    "string.pack('i17', 1)", "tostring()", "select(0)", "tonumber('z', 99)", "next({}, 'x')",
    "ipairs()",
    "math.tointeger({})", "math.floor('x')", "while true do end", "repeat until false",
    "::a:: goto a",
    "local function f() return f() end f()", "local function f() return 1 + f() end f()",
    "pcall(function() while true do end end)", "pcall(error)", "pcall()", "self:acquire()",
    "self:release()",
    "while true do pcall(redis, 'GET', self.key) end",
    "while true do redis('GET', self.key) sleep(1) end",
    "local t = {} while true do t[#t + 1] = t end", "local s = 'x' while true do s = s .. s end",
    "for k in pairs(self) do self[k] = nil end", "for k, v in pairs(_G) do v() end",
    "_ENV = nil x = 1",
    "return", "return nil", "return {}", "return 0", "return 'x'", "return print", "return now()",
    "return true, {}", "return true, 'x'", "return true, 1.5", "return true, -1",
    "return true, 1 << 62",
    "return true, nil, 1", "return true, now()", "return true, ('x'):rep(1e6)",
    "return true, '\\0\\255'",
]
BROKEN_SCRIPTS = [b"", b"return (", b"return", b"nope()", b"\x1bLua", b"\xff",
                  b"while true do end", b"return {}",
                  b"return redis.call('nope')", b"return redis.call('set', KEYS[9], 1)", b"x = 1",
                  b"return redis.call('del', KEYS[1], {})", b"error({})", b"return redis.call()",
                  b"#!lua x\n",
                  b"local function f() return f() + 1 end return f()", b"return ('x'):rep(1e10)",
                  b"return 1 // 1",
                  b"return redis.call('blpop', KEYS[1], 0)", b"return os.time()",
                  b"redis.breakpoint()"]
INVARIANTS = ["", "return nil", "error('x')", "error({})", "while true do end",
              "return world.nope.nope",
              "world.nodes[1].keys.lock = 1", "redis('GET', 'a')", "sleep(1)", "return now()",
              "world = nil",
              "return world.clients[99].holds", "x = 1", "return invariant('y', error)",
              "local s = 'x' while "
              "true do s = s .. s end", "local function f() return f() + 1 end f()",
              "return setmetatable"]
MISSPELT = ["protocl", "scrpt", "redsi", "uniqe", "slep", "monotnic", "chose", "spwan", "evry",
            "mutx"]


def check(text, codes=REFUSED, place=(), script=SCRIPT, words=()):
    if isinstance(text, str):
        text = text.encode(errors="surrogateescape")
    files = {"p/protocol.lua": text, "p/release.lua": script}
    return Case(["check", "p", *words, *SHORT], place, files, codes)


def lock(acquire=TAKE, release=GIVE, top=""):
    return (f"{HEAD}{top}\nfunction L:acquire()\n{acquire}\nend\n"
            f"function L:release()\n{release}\nend\nreturn L\n")


def uses(random):
    """Each wrong use in one or two places. Whoever is refused is told where."""
    for use in WRONG_USES:
        returns = use.startswith("return")
        within = f"do {use} end {TAKE}", f"if self.token then {use} end {GIVE}"
        yield check(lock(acquire=use if returns else within[0]), ANY, ("lua",))
        other = random.choice([
            lock(release=f"do {use} end" if returns else within[1]),
            lock(acquire=f"every(50, function() {use} end) {TAKE}"),
            lock(acquire=f"local ok, e = pcall(function() {use} end) log(tostring(e)) {TAKE}"),
            lock(acquire=f"return retry(function() {use} end, 20)"),
            lock(acquire=f"spawn(function() {use} end) sleep(7) {TAKE}"),
            lock(top=f"local function f() {use} end", acquire=f"f() {TAKE}"),
        ])
        yield check(other, ANY, ("lua",), words=random.choice([[], ["--fault", "crash=1,lose=1"],
                                                              ["--json"], ["--audit"]]))


def garbled(random, count):
    """A lock with some bytes left out, doubled or exchanged."""
    for _ in range(count):
        text = bytearray(lock().encode())
        for _ in range(random.randrange(1, 4)):
            at = random.randrange(len(text) - 8)
            piece = text[at:at + random.randrange(1, 8)]
            text[at:at + len(piece)] = random.choice([b"", piece * 2,
            bytes([random.randrange(256)]),
                                                      piece[::-1], b"end", b"(", b"'", b"nil"])
        yield check(bytes(text), ANY, ("lua",))


def folders():
    yield Case(["check", "p"], ("p",), {"p": None})
    yield Case(["check", "p"], ("protocol.lua",), {"p/protocol.lua": None})
    yield Case(["check", "p/protocol.lua"], ("p/protocol.lua",),
               {"p/protocol.lua": lock().encode()})
    yield Case(["check", "./p"], ("release.lua",), {"p/protocol.lua": lock().encode()})
    yield Case(["check", "./p"], ("release.lua",),
               {"p/protocol.lua": lock().encode(), "p/release.lua": None})
    told = scenarios.SCHEDULE | {"protocol": "./p", "resource": "plain"}
    yield Case(["check", "s.json"], ("p/protocol.lua: command 'sett'", "did you mean `set`"),
               {"p/protocol.lua": lock("redis('SETT')").encode(), "p/release.lua": SCRIPT,
                "s.json": documents.text_of(told)})
    for command in (["matrix", "p"], ["diff", "p", "p"], ["live", "p"], ["diff", "setnx", "p"]):
        yield Case(command, ("p/protocol.lua",), {"p/protocol.lua": b"x x"})


def cases(random, _):
    for text, place in NO_PROTOCOLS:
        yield check(text, REFUSED, ("protocol.lua", place))
    for use in SANDBOX:
        name = use.split("(")[0].split(" ")[0].split("'")[0].split(".")[0]
        yield check(lock(top=use), REFUSED, ("protocol.lua:3", name))
        yield check(lock(acquire=f"{use} {TAKE}"), REFUSED, ("protocol.lua:5", name))
    yield check(lock(acquire=f"redis('EXPIER', self.key, 1) {TAKE}"), REFUSED,
                ("p/protocol.lua", "'expier'", "did you mean `expire`"))
    for name in MISSPELT:
        yield check(lock(top=f"{name}()"), REFUSED, ("protocol.lua:3", name, "did you mean"))
    for end in random.sample(range(1, len(lock()) - 12), 60):
        yield check(lock()[:end], ANY, ("protocol.lua",))
    yield from uses(random)
    yield from garbled(random, 100)
    for script in BROKEN_SCRIPTS:
        yield check(lock(), ANY, ("release.lua",), script)
        yield check(lock(release=f"pcall(release, {{ self.key }}) {GIVE}"), ANY, ("release.lua",),
                    script)
    for body in INVARIANTS:
        yield check(lock(top=f"invariant('i', function(world) {body} end)"), ANY, ("protocol.lua",))
        claims = f"invariant('i', function(world) {body} end)".encode()
        yield Case(["check", "setnx", "--invariants", "c.lua", *SHORT], ("c.lua",),
                   {"c.lua": claims}, ANY)
    yield from folders()
