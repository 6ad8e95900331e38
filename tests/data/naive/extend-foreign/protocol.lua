-- A mistake on purpose: who does not get the lock prolongs the lease of the one who has it.
local Lock = protocol { title = "prolongs a foreign lease", source = "a test of lockstep" }

function Lock:acquire()
  if redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK then return true end
  redis("PEXPIRE", self.key, self.ttl_ms * 2)
  return false
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
