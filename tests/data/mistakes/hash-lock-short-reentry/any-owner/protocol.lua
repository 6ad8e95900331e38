-- Mistake: lock.lua asks whether the key exists, not whether the owner is in it.
-- Otherwise as hash-lock-short-reentry. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, a short lease inside a long one",
  source = "分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  local mine = task_local()
  local depth = mine.depth or 0
  local seconds = depth == 0 and self.ttl_s or 1 -- the inner lock() is short
  if lock({ self.key }, { owner(self), seconds }) == 0 then
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
