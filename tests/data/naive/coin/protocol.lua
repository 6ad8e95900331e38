-- Tosses a coin before it asks for the lock: choose() as part of a schedule.
local Lock = protocol { title = "tosses a coin", source = "a test of lockstep" }

function Lock:acquire()
  if choose(2) == 1 then return false end
  return redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
