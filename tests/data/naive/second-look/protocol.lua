-- Takes over the value that it found at its last call already: what a process keeps from call to call decides.
local Lock = protocol { title = "takes over at the second look", source = "a test of lockstep" }

function Lock:acquire()
  local value = millis(now())
  if redis("SETNX", self.key, value) == 1 then return true end
  local seen = self.seen
  self.seen = redis("GET", self.key)
  return self.seen ~= nil and self.seen == seen and redis("GETSET", self.key, value) == seen
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
