-- The holder looks at its own clock before its critical section: is the lease that it asked for over?
local release = script "release.lua"

local Lock = protocol {
  title  = "SET NX PX; the client's clock is compared with the lease",
  source = "tests/zones/locks.py",
}

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  if monotonic() - start < self.ttl_ms then return true end
  release({ self.key }, { self.token })
  return false
end

function Lock:release() return release({ self.key }, { self.token }) == 1 end

return Lock
