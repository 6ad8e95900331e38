-- Mistake: the release says true, whatever the script returned.
-- Otherwise as shared-lease. Seen by: --fault pause=1 --property honest-result

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a lease of the caller, or a watchdog; lease kept in a field that calls share",
  source = "redisson#3484",
}

function Lock:acquire()
  self.with_lease = not self.with_lease
  self.token = unique()
  if self.with_lease then
    self.lease_ms = self.ttl_ms // 10
  end
  self.lease_ms = self.lease_ms or self.ttl_ms
  if redis("SET", self.key, self.token, "NX", "PX", self.lease_ms) ~= OK then
    return false
  end
  if not self.with_lease then
    self.watchdog = every(self.ttl_ms // 3, function()
      return renew({ self.key }, { self.token, self.lease_ms }) == 1
    end)
  end
  return true
end

function Lock:release()
  if self.watchdog then
    stop(self.watchdog)
    self.watchdog = nil
  end
  release({ self.key }, { self.token })
  return true
end

return Lock
