-- Mistake: the release leaves the renewal running, which does not look at the answer.
-- Otherwise as watchdog-dies. Seen by: --property leak

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
    renew({ self.key }, { self.token, self.ttl_ms })
  end)
  return true
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
