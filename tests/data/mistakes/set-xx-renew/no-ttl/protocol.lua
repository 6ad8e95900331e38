-- Mistake: the TTL is forgotten.
-- Otherwise as set-xx-renew. Seen by: --property deadlock --fault lose=1

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, renewed by SET XX PX; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁 (SET's options); the timer as in 自动续期",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX") ~= OK then
    return false
  end
  self.timer = every(self.ttl_ms // 3, function()
    return redis("SET", self.key, self.token, "PX", self.ttl_ms, "XX") == OK
  end)
  return true
end

function Lock:release()
  stop(self.timer)
  self.timer = nil
  return release({ self.key }, { self.token }) == 1
end

return Lock
