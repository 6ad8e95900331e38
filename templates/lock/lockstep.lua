---@meta
-- What protocol.lua can call, for editors that read LuaLS annotations. lockstep itself does not read this file.
-- The whole of it: docs/protocols.md.

---An instant of now() or monotonic(). `later - earlier` is milliseconds; `instant + ms` is an instant.
---@class Instant
---@operator add(integer): Instant
---@operator sub(Instant): integer
---@operator sub(integer): Instant

---What a server answers: a status or a bulk is a string, an integer a number, null nil, an array a list.
---@alias Reply string|number|boolean|nil|table

---What pcall() catches when a server or a connection fails.
---@class RedisError
---@field kind "redis"|"connection"|"timeout"
---@field message? string
---@field code? string its first word

---@class Answer what became of one request of call_all
---@field node integer
---@field ok boolean
---@field reply? Reply
---@field error? RedisError
---@field pending? boolean it has not been heard

---@class Task what spawn(), every() and listen() return
---@class Mutex
---@field lock fun(self: Mutex)
---@field unlock fun(self: Mutex)
---@class Semaphore
---@field acquire fun(self: Semaphore, ms?: integer): boolean
---@field release fun(self: Semaphore)

---@class Lock one object for each key and process
---@field key string the lock's key
---@field ttl_ms integer the lease
---@field ttl_s integer the lease in seconds
---@field nodes integer
---@field replicas integer
---@field process table what all lock objects of the process share
---@field acquire fun(self: Lock): any, any?
---@field release fun(self: Lock): any
---@field acquire_shared? fun(self: Lock): any, any?
---@field release_shared? fun(self: Lock): any
---@field [string] any state of this lock in this process

---@class Protocol
---@field title string
---@field source string where it is described
---@field leases? string[] templates of the keys that are leases; by default { "{key}" }
---@field permanent? string[] keys that stay by design
---@field shared_connection? boolean all tasks of a process send on one connection to each node
---@field greets? boolean its library sends something first on each new connection
---@field server? "redis-7.0"|"redis-7.2"|"redis-8.0"|"redis-8.4"|"valkey-8.1"|"valkey-9"
---@field keyspace_events? string letters of notify-keyspace-events, such as "Ex"
---@field tracking? boolean its clients track keys: listen() with tracking = true
---@field nodes? integer 1 to 7
---@field replicas? integer of each node
---@field quorum? integer|"majority"
---@field permits? integer how many may hold a lock at once
---@field settings? table<string, integer|string|boolean>

---@type "OK"
OK = "OK"
---What a function that retry() calls returns to end in a refusal.
GIVE_UP = {}

---@param about Protocol
---@return Lock
function protocol(about) end

---A claim of your own, judged after each step.
---@param name string
---@param f fun(world: table): boolean?
function invariant(name, f) end

---A script of this folder; calling the handle sends EVAL (with sha: EVALSHA, and EVAL on NOSCRIPT).
---@param file string
---@param how? { sha?: boolean }
---@return fun(keys: string[], arguments?: (string|number)[], to?: { node?: integer, timeout_ms?: integer }): Reply
function script(file, how) end

---Sends a command to node 1 and waits for the reply; raises RedisError.
---@param command string
---@param ... string|number
---@return Reply
function redis(command, ...) end

---The same with a node and a timeout: call { node = 2, timeout_ms = 50, "GET", self.key }
---@param request table
---@return Reply
function call(request) end

---To several nodes at once: call_all { nodes = { 1, 2 }, timeout_ms = 50, enough = f, "GET", self.key }
---@param requests table
---@return Answer[]
function call_all(requests) end

---@param ms integer
function sleep(ms) end
---@return Instant
function now() end
---@return Instant
function monotonic() end
---Unix milliseconds of an instant of now(), to send or store.
---@param instant Instant
---@return integer
function millis(instant) end
---A fresh random value, of no certain length or form.
---@return string
function unique() end
---1 to n; the checker tries each.
---@param n integer
---@return integer
function choose(n) end
---@param name string
---@return integer|string|boolean
function setting(name) end

---Ends the process, as a crash does.
function exit() end

---@param f function
---@param ... any
---@return Task
function spawn(f, ...) end
---Sleeps, calls f, and again, until that returns false.
---@param ms integer
---@param f fun(): boolean?
---@return Task
function every(ms, f) end
---@param task Task
function stop(task) end
---@param task Task
---@return boolean
function alive(task) end
---Waits until one of them has ended; its place in the list.
---@param ... Task
---@return integer
function await(...) end
---Calls f until it returns a true value; with a pause between two calls, or a wait for a permit of a
---semaphore, for as long as the second result of f says at most.
---@param f fun(): any, any?
---@param pause? integer|Semaphore
---@return any, any?
function retry(f, pause) end
---@param owner? table whose own it is, the same each time
---@return Mutex
function mutex(owner) end
---@param permits integer
---@return Semaphore
function semaphore(permits) end
---@param channel string
---@param f fun(text: string|string[]|nil, channel: string?): boolean?
---@param how? { node?: integer, pattern?: boolean, tracking?: boolean, again_ms?: integer }
---@return Task
function listen(channel, f, how) end

---@return integer
function task_id() end
---@return table
function task_local() end
---Tells whoever holds this lock in this process that it is lost.
---@param lock Lock
function lost(lock) end
---A line in the trace.
---@param text any
function log(text) end
