-- Key and TTL in one command. But release deletes whatever is there: also the lock of somebody else.
-- The article's steps:
--   set lock_key 1 EX 10 NX -> if ok: go on; if nil: give up.   Release: del lock_key.

local Lock = protocol {
  title = "SET EX NX; DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 又是原子性",
}

function Lock:acquire()
  return redis("SET", self.key, 1, "EX", self.ttl_s, "NX") == OK
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
