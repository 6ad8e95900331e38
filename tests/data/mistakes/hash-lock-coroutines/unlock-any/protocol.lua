-- Mistake: unlock.lua deletes whoever holds.
-- Otherwise as hash-lock-coroutines. Seen by: --property foreign-release --fault pause=1

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, coroutines of one thread",
  source = "https://github.com/redisson/redisson/issues/3750; " ..
    "the scripts as in 分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-1"
end

function Lock:acquire()
  return lock({ self.key }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  return unlock({ self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
