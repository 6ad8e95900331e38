-- Mistake: SET without PX: the key never expires.
-- Otherwise as own-lease. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a lease of the caller, or a watchdog; lease of each call its own",
  source = "redisson#3484",
}

function Lock:acquire()
  self.with_lease = not self.with_lease
  self.token = unique()
  local lease_ms = self.with_lease and self.ttl_ms // 10 or self.ttl_ms
  if redis("SET", self.key, self.token, "NX") ~= OK then
    return false
  end
  if not self.with_lease then
    self.watchdog = every(self.ttl_ms // 3, function()
      return renew({ self.key }, { self.token, lease_ms }) == 1
    end)
  end
  return true
end

function Lock:release()
  if self.watchdog then
    stop(self.watchdog)
    self.watchdog = nil
  end
  return release({ self.key }, { self.token }) == 1
end

return Lock
