-- A mistake on purpose: a nested acquire() removes the key of the first and sets none.
local Lock = protocol { title = "forgets its key when it enters again", source = "a test of lockstep" }

function Lock:acquire()
  if self.inside then return redis("DEL", self.key) == 1 end
  self.inside = redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK
  return self.inside
end

function Lock:release()
  self.inside = nil
  return redis("DEL", self.key) == 1
end

return Lock
