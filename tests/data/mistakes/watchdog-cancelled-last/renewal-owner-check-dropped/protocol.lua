-- Mistake: the renewal extends whatever is there.
-- Otherwise as watchdog-cancelled-last. Seen by: --fault pause=1 --property foreign-extend

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that is stopped after the release",
  source = "redisson#1602",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.watchdog = every(self.ttl_ms // 3, function()
    local ok, renewed = pcall(renew, { self.key }, { self.token, self.ttl_ms })
    return not ok or renewed == 1
  end)
  return true
end

function Lock:release()
  local released = release({ self.key }, { self.token }) == 1
  stop(self.watchdog)
  return released
end

return Lock
