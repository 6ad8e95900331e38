-- The first member of a set holds; everybody else takes itself out again.
local Lock = protocol { title = "set, first member", source = "test" }
function Lock:acquire()
  self.token = unique()
  redis("SADD", self.key, self.token)
  redis("PEXPIRE", self.key, self.ttl_ms)
  if redis("SMEMBERS", self.key)[1] == self.token then return true end
  redis("SREM", self.key, self.token)
  return false
end
function Lock:release() return redis("SREM", self.key, self.token) == 1 end
return Lock
