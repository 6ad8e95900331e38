-- Mistake: SET without PX: the key never expires.
-- Otherwise as watchdog-dies. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that ends at the first error",
  source = "redisson#3194",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX") ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    return renew({ self.key }, { self.token, self.ttl_ms }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  return release({ self.key }, { self.token }) == 1
end

return Lock
