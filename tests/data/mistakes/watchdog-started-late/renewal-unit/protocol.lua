-- Mistake: the renewal gives seconds as milliseconds: the lease shrinks.
-- Otherwise as watchdog-started-late. Seen by: --work-ms 15000 --property mutual-exclusion

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that is started asynchronously",
  source = "redisson#7272",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  spawn(function()
    self.watchdog = every(self.ttl_ms // 3, function()
      pcall(renew, { self.key }, { self.token, self.ttl_s })
    end)
  end)
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
