-- Mistake: SET without PX: the key never expires.
-- Otherwise as watchdog-pexpire. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog; renewal by PEXPIRE without looking at the owner",
  source = "sibson/redbeat#127",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX") ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    return redis("PEXPIRE", self.key, self.ttl_ms) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  return release({ self.key }, { self.token }) == 1
end

return Lock
