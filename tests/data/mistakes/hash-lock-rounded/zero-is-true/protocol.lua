-- Mistake: the reply 0 of lock.lua is taken for true.
-- Otherwise as hash-lock-rounded. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, the TTL rounded down to seconds",
  source = "分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  return lock({ self.key }, { owner(self), self.ttl_ms // 1000 })
end

function Lock:release()
  return unlock({ self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
