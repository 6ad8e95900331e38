-- As hash-lock-swallowed, but release() asks again, every 500 ms, until the node has answered, or the lease is over.

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash, release asks until the node can write",
  source = "failures catalogue F11 (fixed); " ..
    "scripts as in 分布式锁-By Redis (seed 002), section 可重入锁（hash + lua 脚本）",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  self.since = monotonic()
  return lock({ self.key }, { owner(self), self.ttl_s }) == 1
end

function Lock:release()
  local freed
  retry(function()
    local answered, reply = pcall(unlock, { self.key }, { owner(self) })
    if answered then freed = reply ~= nil end
    return answered or monotonic() - self.since > self.ttl_ms
  end, 500)
  return freed
end

return Lock
