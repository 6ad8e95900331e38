-- SETNX, then a TTL with EXPIRE: two commands again. A client that dies between them leaves a lock
-- for ever. The article's steps:
--   setnx lock_key 1 -> if 0: give up; if 1: expire lock_key 10, success.   Release: del lock_key.

local Lock = protocol {
  title = "SETNX, then EXPIRE; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 服务宕机",
}

function Lock:acquire()
  if redis("SETNX", self.key, 1) == 0 then
    return false
  end
  redis("EXPIRE", self.key, self.ttl_s)
  return true
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
