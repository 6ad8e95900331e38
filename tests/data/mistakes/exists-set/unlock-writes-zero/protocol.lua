-- Mistake: the release writes 0 instead of deleting; EXISTS does not look at values.

local Lock = protocol {
  title = "EXISTS, then SET; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 简单思路",
}

function Lock:acquire()
  if redis("EXISTS", self.key) == 1 then
    return false
  end
  redis("SET", self.key, 1)
  return true
end

function Lock:release()
  return redis("SET", self.key, 0) == OK
end

return Lock
