-- Mistake: release forgets DEL.
-- Otherwise as del-setnx. Seen by: --property honest-result

local Lock = protocol {
  title = "SETNX with a timestamp, DEL and SETNX if expired, EXPIRE; DEL",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 承——分布式锁的改进",
}

local function set(self, value)
  if redis("SETNX", self.key, value) == 0 then
    return false
  end
  redis("EXPIRE", self.key, self.ttl_s)
  return true
end

function Lock:acquire()
  local now_ms = millis(now())
  local value = now_ms + self.ttl_ms
  if set(self, value) then
    return true
  end
  local old = redis("GET", self.key)
  if old == nil or tonumber(old) >= now_ms then
    return false
  end
  redis("DEL", self.key)
  return set(self, value)
end

function Lock:release()
  return true
end

return Lock
