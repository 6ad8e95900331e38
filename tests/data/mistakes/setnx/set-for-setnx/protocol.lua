-- Mistake: SET in place of SETNX.

local Lock = protocol {
  title = "SETNX without a TTL; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 原子性",
}

function Lock:acquire()
  return redis("SET", self.key, 1) == OK
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
