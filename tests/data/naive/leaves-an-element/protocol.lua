-- A mistake on purpose: each entry adds an element to a list, and only the outermost release() takes one off.
local Lock = protocol { title = "leaves an element of a list", source = "a test of lockstep" }

function Lock:acquire()
  self.token = self.token or unique()
  local length = redis("RPUSH", self.key, self.token)
  self.depth = (self.depth or 0) + 1
  return length == self.depth
end

function Lock:release()
  self.depth = self.depth - 1
  return self.depth > 0 or redis("LPOP", self.key) == self.token
end

return Lock
