-- Mistake: lock.lua sets the TTL with PEXPIRE and gets seconds.
-- Otherwise as hash-lock-renewal-mended. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local renew = script "renew.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash renewed on a timer, requests sent again with an id",
  source = "lock.lua and unlock.lua as in hash-lock-request-id; " ..
    "renew.lua as in 分布式锁-By Redis (seed 002), section 自动续期1.0版本",
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
  local me = owner(self)
  if send(lock, { self.key, answer_key(self) }, { me, self.ttl_s }) == 0 then
    return false
  end
  local mine = task_local()
  mine.depth = (mine.depth or 0) + 1
  if mine.timer == nil or not alive(mine.timer) then
    mine.timer = every(self.ttl_ms // 3, function()
      return renew({ self.key }, { me, self.ttl_s }) == 1
    end)
  end
  return true
end

function Lock:release()
  local mine = task_local()
  mine.depth = mine.depth - 1
  if mine.depth == 0 then
    stop(mine.timer)
    mine.timer = nil
  end
  -- nil: not the owner; 1: released; 0: still held
  return send(unlock, { self.key, answer_key(self) }, { owner(self), self.ttl_s }) ~= nil
end

return Lock
