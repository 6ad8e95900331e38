-- Mistake: an exception counts as success.
-- Otherwise as lua-setnx-expire-guarded. Seen by: --property mutual-exclusion --fault lose=1

local setnx_and_expire = script "setnx_and_expire.lua"

local Lock = protocol {
  title = "SETNX and EXPIRE in Lua; DEL unless expired by the own clock",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 转——分布式锁的优化",
}

function Lock:acquire()
  local began = now()
  local ok, locked = pcall(setnx_and_expire, { self.key }, { "1", self.ttl_s })
  self.expires = began + self.ttl_ms
  return not ok or locked == 1 -- true arrives as 1, false as nil; catch (Exception e): false
end

function Lock:release()
  if now() < self.expires then
    redis("DEL", self.key)
  end
  return true
end

return Lock
