-- A mistake on purpose: acquire() sets the key and says no.
local Lock = protocol { title = "refuses what it has got", source = "a test of lockstep" }

function Lock:acquire()
  redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms)
  return false
end

function Lock:release()
  return false
end

return Lock
