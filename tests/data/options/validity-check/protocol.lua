-- The lock is believed to be held if the answer came while the client's own clock says that some of
-- the lease is left, with 10 ms to spare for clocks that do not agree.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX; believed if it took less than the lease, less 10 ms",
  source = "Distributed Locks with Redis (redis.io), the Redlock algorithm, steps 2 and 3",
}

local margin_ms = 10

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  return monotonic() - start < self.ttl_ms - margin_ms
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
