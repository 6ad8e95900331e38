-- A semaphore of one on a sorted set: everybody adds itself with the same score, the first in order holds.
local Lock = protocol { title = "sorted set, tied scores", source = "test" }
function Lock:acquire()
  self.token = unique()
  redis("ZADD", self.key, "0", self.token)
  if redis("ZRANK", self.key, self.token) == 0 then return true end
  redis("ZREM", self.key, self.token)
  return false
end
function Lock:release() return redis("ZREM", self.key, self.token) == 1 end
return Lock
