-- Mistake: lock.lua sets the TTL with PEXPIRE and gets seconds.
-- Otherwise as hash-lock-resend. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, requests sent again",
  source = "https://github.com/redisson/redisson/issues/7367 (a command that is sent again); " ..
    "the scripts as in 分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

--- As a driver does it: sends once more after a connection error or a timeout. An error reply is no reason to.
local function send(f, keys, arguments)
  local ok, reply = pcall(f, keys, arguments)
  if ok then
    return reply
  end
  if reply.kind == "redis" then
    error(reply)
  end
  return f(keys, arguments)
end

function Lock:acquire()
  return send(lock, { self.key }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  return send(unlock, { self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
