-- Mistake: an error ends the watchdog.
-- Otherwise as watchdog-silent. Seen by: --work-ms 15000 --fault lose=1 --property mutual-exclusion

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that never tells the holder",
  source = "redisson#3636",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    local ok, renewed = pcall(renew, { self.key }, { self.token, self.ttl_ms })
    return ok and renewed == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  return release({ self.key }, { self.token }) == 1
end

return Lock
