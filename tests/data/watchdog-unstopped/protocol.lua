-- A watchdog that release() does not stop, and that does not look at whether it is still the owner.
local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that nobody stops",
  source = "lockstep's own test data",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    renew({ self.key }, { self.token, self.ttl_ms })
    return true
  end)
  return true
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
