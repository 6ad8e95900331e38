-- Mistake: the reply of SET is not looked at.

local Lock = protocol {
  title = "SET EX NX; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 又是原子性",
}

function Lock:acquire()
  redis("SET", self.key, 1, "EX", self.ttl_s, "NX")
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
