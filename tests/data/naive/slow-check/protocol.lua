-- Measures on its own clock how long the lock took, and does not trust it if that was too long.
local Lock = protocol { title = "checks the elapsed time", source = "a test of lockstep" }

function Lock:acquire()
  local before = now()
  if redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) ~= OK then return false end
  return now() - before <= 1000
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
