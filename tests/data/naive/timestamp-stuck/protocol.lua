-- A mistake on purpose: the value tells when the lock ends, and nobody takes over.
local Lock = protocol { title = "SETNX with a timestamp that nobody heeds", source = "a test of lockstep" }

function Lock:acquire()
  return redis("SETNX", self.key, millis(now()) + self.ttl_ms) == 1
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
