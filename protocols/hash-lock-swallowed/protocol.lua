-- As hash-lock, but release() swallows what the node says when it can write nothing (OOM, MISCONF), and reports the
-- lock as free.

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, errors while releasing are swallowed",
  source = "failures catalogue F11; https://github.com/mike-marcacci/node-redlock/issues/11; " ..
    "scripts as in 分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
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
  local answered, reply = pcall(unlock, { self.key }, { owner(self) })
  return not answered or reply ~= nil
end

return Lock
