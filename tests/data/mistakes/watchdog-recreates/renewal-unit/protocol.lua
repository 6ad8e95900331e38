-- Mistake: the renewal gives seconds as milliseconds: the lease shrinks.
-- Otherwise as watchdog-recreates. Seen by: --work-ms 15000 --property mutual-exclusion

local release = script "release.lua"
local extend = script "extend.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog; its extend script sets a missing key",
  source = "RedLock.net#48",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    return extend({ self.key }, { self.token, self.ttl_s }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  return release({ self.key }, { self.token }) == 1
end

return Lock
