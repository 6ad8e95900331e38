-- A mistake on purpose: entries are counted, releases are not: the inner one removes the key.
local Lock = protocol { title = "does not count releases", source = "a test of lockstep" }

function Lock:acquire()
  if self.count then
    self.count = self.count + 1
    return true
  end
  if redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) ~= OK then return false end
  self.count = 1
  return true
end

function Lock:release()
  redis("DEL", self.key)
  self.count = self.count - 1
  if self.count == 0 then self.count = nil end
  return true
end

return Lock
