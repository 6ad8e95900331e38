-- A scheduler that renews its lock once in each turn of its loop, whose turns are longer than the lease.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX, renewed once a loop that takes twice the lease",
  source = "failures catalogue K07; https://github.com/sibson/redbeat/issues/129",
}

-- max_loop_interval, set by somebody who did not think of the lock.
local function interval_ms(self) return self.ttl_ms * 2 end

function Lock:acquire()
  local token = unique()
  self.token = token
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  self.loop = every(interval_ms(self), function()
    if renew({ self.key }, { token, self.ttl_ms }) == 1 then return true end
    lost(self)
    return false
  end)
  return true
end

function Lock:release()
  stop(self.loop)
  return release({ self.key }, { self.token }) == 1
end

return Lock
