-- Mistake: release forgets DEL.
-- Otherwise as lua-setnx-expire. Seen by: --property honest-result

local setnx_and_expire = script "setnx_and_expire.lua"

local Lock = protocol {
  title = "SETNX and EXPIRE in Lua; DEL",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 转——分布式锁的优化",
}

function Lock:acquire()
  local ok, locked = pcall(setnx_and_expire, { self.key }, { "1", self.ttl_s })
  return ok and locked == 1 -- true arrives as 1, false as nil; catch (Exception e): false
end

function Lock:release()
  return true
end

return Lock
