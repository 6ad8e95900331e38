-- A mistake on purpose: the key counts the entries, each release takes one off, and at 0 the key is not removed.
local Lock = protocol { title = "counts down to a key that stays", source = "a test of lockstep" }

function Lock:acquire()
  if self.inside then return redis("INCR", self.key) > 1 end
  self.inside = redis("SETNX", self.key, 1) == 1
  return self.inside
end

function Lock:release()
  if redis("DECR", self.key) == 0 then self.inside = nil end
  return true
end

return Lock
