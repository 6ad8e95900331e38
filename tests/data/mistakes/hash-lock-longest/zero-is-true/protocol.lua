-- Mistake: the reply 0 of lock.lua is taken for true.
-- Otherwise as hash-lock-longest. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, the longest lease counts",
  source = "lock.lua: lockstep's own; the rest as in 分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  local mine = task_local()
  local depth = mine.depth or 0
  local ms = depth == 0 and self.ttl_ms or 1000 -- the inner lock() is short
  if not lock({ self.key }, { owner(self), ms }) then
    return false
  end
  mine.depth = depth + 1
  return true
end

function Lock:release()
  local mine = task_local()
  mine.depth = mine.depth - 1
  return unlock({ self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
