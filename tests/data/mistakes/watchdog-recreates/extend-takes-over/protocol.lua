-- Mistake: the extend script sets the key whoever has it.
-- Otherwise as watchdog-recreates. Seen by: --fault pause=1 --property foreign-release

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
    return extend({ self.key }, { self.token, self.ttl_ms }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  return release({ self.key }, { self.token }) == 1
end

return Lock
