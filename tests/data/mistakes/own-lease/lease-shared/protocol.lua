-- Mistake: the lease is kept in a field, and a call without a lease takes over the last one: nobody sets it.
-- Otherwise as own-lease.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a lease of the caller, or a watchdog; lease of each call its own",
  source = "redisson#3484",
}

function Lock:acquire()
  self.with_lease = not self.with_lease
  self.token = unique()
  if self.with_lease then
    self.lease_ms = self.ttl_ms // 10
  end
  local lease_ms = self.lease_ms or self.ttl_ms
  if redis("SET", self.key, self.token, "NX", "PX", lease_ms) ~= OK then
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
