-- Re-entrant: the key is a hash, its field the owner, the field's value how often the owner has locked. The
-- article's steps:
--   eval lock.lua with owner and seconds -> 1: success; 0: give up.
--   Release: eval unlock.lua with owner -> nil: not its owner; 1: released; 0: still held.
-- Repairs: none to the scripts; what follows the block's `end` in the article (a session with redis-cli, and
-- the lines beginning with //) is not part of them.

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash with owner and count, in Lua",
  source = "分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  return lock({ self.key }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  return unlock({ self.key }, { owner(self) }) ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
