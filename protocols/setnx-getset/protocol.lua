-- The value says when the lock ends, by the client's clock; who finds it expired takes it over with GETSET, and
-- has it if GETSET still gives what GET gave. Losing, it has overwritten the winner's value all the same. The
-- article's steps:
--   setnx key <now + lease + 1 s> -> if 1: expire key lease, success.
--   if 0: get key -> if expired: getset key <the same> -> if as get said: expire key lease, success; if not:
--     give up.
--   Any exception: give up.   Release: del key; unlock() says nothing, so success unless it throws.
-- Repairs: the Java code had lost the brackets of `byte[]` (lockKey, oldValue, oldValue2, and of longToBytes
-- and bytesToLong).

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
    redis("EXPIRE", self.key, self.ttl_s)
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
