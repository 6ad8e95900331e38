-- As lease-from-reply, but the lease counts from before the request was sent: however long the
-- request and its reply take, the node counts from later.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX; a local deadline counted from before the request",
  source = "Distributed Locks with Redis (redis.io), the Redlock algorithm, steps 1 and 3",
}

function Lock:acquire()
  self.token = unique()
  self.deadline = every(self.ttl_ms, function()
    lost(self)
    return false
  end)
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    stop(self.deadline)
    return false
  end
  return true
end

function Lock:release()
  stop(self.deadline)
  return release({ self.key }, { self.token }) == 1
end

return Lock
