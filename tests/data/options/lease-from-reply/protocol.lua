-- The client works until its lease ends by its own clock, and counts the lease from the moment at
-- which it hears that it has the lock. The node counts from the moment at which it executes the
-- request: as much earlier as the reply was on its way.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX; a local deadline counted from the reply",
  source = "what Distributed Locks with Redis (redis.io), the Redlock algorithm, steps 1 and 3, avoids",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.deadline = every(self.ttl_ms, function()
    lost(self)
    return false
  end)
  return true
end

function Lock:release()
  stop(self.deadline)
  return release({ self.key }, { self.token }) == 1
end

return Lock
