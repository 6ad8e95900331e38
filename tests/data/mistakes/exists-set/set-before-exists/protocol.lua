-- Mistake: the two commands are swapped, so everybody finds the key that it has set itself.

local Lock = protocol {
  title = "EXISTS, then SET; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 简单思路",
}

function Lock:acquire()
  redis("SET", self.key, 1)
  if redis("EXISTS", self.key) == 1 then
    return false
  end
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
