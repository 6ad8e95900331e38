-- Mistake: the renewal extends whatever is there.
-- Otherwise as watchdog-dies. Seen by: --fault pause=1 --property foreign-extend

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that ends at the first error",
  source = "redisson#3194",
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
  return release({ self.key }, { self.token }) == 1
end

return Lock
