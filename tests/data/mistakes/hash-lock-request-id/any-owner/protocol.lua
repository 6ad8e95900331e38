-- Mistake: lock.lua does not look for another owner.
-- Otherwise as hash-lock-request-id. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, requests sent again with an id",
  source = "https://github.com/redisson/redisson/issues/4871 (the idea); " ..
    "lock.lua and unlock.lua: lockstep's own",
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

--- Names a call once, also if it is sent twice: where the script keeps its answer.
local function answer_key(self)
  return self.key .. ":" .. unique()
end

function Lock:acquire()
  return send(lock, { self.key, answer_key(self) }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  -- nil: not the owner; 1: released; 0: still held
  return send(unlock, { self.key, answer_key(self) }, { owner(self), self.ttl_s }) ~= nil
end

return Lock
