-- As set-wait, and then asks the master whether the key is still its own. That does not mend it: a WAIT on a connection
-- that was made anew counts replicas for nothing, also one that the old master has not noticed to have left.

local release = script "release.lua"
local WAIT_MS = 100

local Lock = protocol {
  title = "SET NX PX, WAIT for every replica, GET; compare-and-delete in Lua",
  source = "lockstep's own: what seems to mend set-wait beside a failover",
  replicas = 1,
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  if redis("WAIT", self.replicas, WAIT_MS) >= self.replicas and redis("GET", self.key) == self.token then
    return true
  end
  release({ self.key }, { self.token })
  return false
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
