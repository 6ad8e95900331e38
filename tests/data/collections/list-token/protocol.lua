-- A lock that is a token in a list.
local Lock = protocol { title = "list token", source = "test" }
function Lock:acquire()
  self.token = unique()
  if redis("LLEN", self.key) ~= 0 then return false end
  redis("RPUSH", self.key, self.token)
  if redis("LINDEX", self.key, "0") == self.token then return true end
  redis("LREM", self.key, "0", self.token)
  return false
end
function Lock:release() return redis("LREM", self.key, "1", self.token) == 1 end
return Lock
