-- A lock with a watchdog that renews the lease at a third of it, and stops when it is no longer the owner.
local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog",
  source = "lockstep's own test data",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    return renew({ self.key }, { self.token, self.ttl_ms }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  self.watchdog = nil
  return release({ self.key }, { self.token }) == 1
end

return Lock
