-- A mistake on purpose: a mutex guards the lock against the process's other threads, and release() forgets it.
local Lock = protocol { title = "keeps its mutex", source = "a test of lockstep" }

function Lock:acquire()
  self.mutex = self.mutex or mutex()
  self.mutex:lock()
  return redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
