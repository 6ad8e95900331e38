-- One command decides: SETNX sets the key only if it does not exist. But the key never expires: a
-- client that dies keeps it. The article's steps:
--   setnx key value -> if 0: give up; if 1: success.   Release: del lock_key.

local Lock = protocol {
  title = "SETNX without a TTL; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 原子性",
}

function Lock:acquire()
  return redis("SETNX", self.key, 1) == 1
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
