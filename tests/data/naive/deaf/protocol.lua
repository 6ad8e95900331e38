-- Waits for a reply for ever, unless a timeout is given: then it tries once more.
local Lock = protocol { title = "one attempt after a timeout", source = "a test of lockstep" }

local function attempt(self)
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:acquire()
  self.token = unique()
  local answered, granted = pcall(attempt, self)
  if answered then return granted end
  return attempt(self)
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
