-- Mistake: the lock is given a TTL of 0 seconds by a wrong default: EXPIRE deletes it at once.

local Lock = protocol {
  title = "SETNX, then EXPIRE; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 服务宕机",
}

function Lock:acquire()
  if redis("SETNX", self.key, 1) == 0 then
    return false
  end
  redis("EXPIRE", self.key, 0)
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
