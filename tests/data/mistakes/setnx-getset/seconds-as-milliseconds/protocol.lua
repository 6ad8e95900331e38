-- Mistake: PEXPIRE with seconds.
-- Otherwise as setnx-getset. Seen by: --property mutual-exclusion

local Lock = protocol {
  title = "SETNX with a timestamp, GETSET if expired, EXPIRE; DEL",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 承——分布式锁的改进",
}

--- The article's longToBytes and bytesToLong: eight bytes, the highest first.
local long = ">i8"

local function try_lock(self)
  local now_ms = millis(now())
  local value = string.pack(long, now_ms + self.ttl_s * 1000 + 1000) -- tolerates clocks that differ by a second
  if redis("SETNX", self.key, value) == 1 then
    redis("PEXPIRE", self.key, self.ttl_s)
    return true
  end
  local old = redis("GET", self.key)
  if old ~= nil and string.unpack(long, old) < now_ms then
    local old2 = redis("GETSET", self.key, value)
    if old2 == old then
      redis("EXPIRE", self.key, self.ttl_s)
      return true
    end
  end
  return false
end

function Lock:acquire()
  local ok, locked = pcall(try_lock, self)
  return ok and locked -- catch (Exception e): false
end

function Lock:release()
  redis("DEL", self.key)
  return true
end

return Lock
