-- The first idea: look whether the key exists; if it does not, set it. Two commands, so another
-- client can come between them. The article's steps:
--   exists lock_key -> if true: give up; if false: set lock_key 1.   Release: del lock_key.

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
  return redis("DEL", self.key) == 1
end

return Lock
