-- Mistake: unlock.lua shortens the lease while the lock is still held.
-- Otherwise as hash-lock-thread-name. Seen by: --property foreign-release

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, the thread's name as owner",
  source = "分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

local function owner()
  return "thread-" .. task_id() + 1
end

function Lock:acquire()
  return lock({ self.key }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  return unlock({ self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
