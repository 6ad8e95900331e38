-- Mistake: who is refused cleans up, and deletes a lock that it has not acquired.

local Lock = protocol {
  title = "SETNX, then EXPIRE; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 服务宕机",
}

function Lock:acquire()
  if redis("SETNX", self.key, 1) == 0 then
    redis("DEL", self.key)
    return false
  end
  redis("EXPIRE", self.key, self.ttl_s)
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
