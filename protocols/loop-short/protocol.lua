-- As loop-too-long, with a loop of a third of the lease.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX, renewed once a loop that takes a third of the lease",
  source = "failures catalogue K07 (fixed)",
}

-- Two turns may fail before the lease is over.
local function interval_ms(self) return self.ttl_ms // 3 end

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
