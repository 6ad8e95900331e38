-- Mistake: the release says true, whatever the script returned.
-- Otherwise as watchdog-pexpire. Seen by: --fault pause=1 --property honest-result

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog; renewal by PEXPIRE without looking at the owner",
  source = "sibson/redbeat#127",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    return redis("PEXPIRE", self.key, self.ttl_ms) == 1
  end)
  return true
end

function Lock:release()
  stop(self.watchdog)
  release({ self.key }, { self.token })
  return true
end

return Lock
