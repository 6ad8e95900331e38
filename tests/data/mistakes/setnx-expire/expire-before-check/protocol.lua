-- Mistake: EXPIRE is sent before the reply is looked at: who is refused extends the lock of another.

local Lock = protocol {
  title = "SETNX, then EXPIRE; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 服务宕机",
}

function Lock:acquire()
  local made = redis("SETNX", self.key, 1)
  redis("EXPIRE", self.key, self.ttl_s)
  if made == 0 then
    return false
  end
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
