-- Mistake: the count is tested after the try; but an error counts as success.
-- Otherwise as setnx-expire-poll-once. Seen by: --fault lose=1 --property mutual-exclusion

local try_interval_ms = 1000
local max_try_count = 1

local Lock = protocol {
  title = "SETNX, then EXPIRE, polled with max = 1; DEL",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 起——分布式锁初探",
}

local function try_lock(self)
  if redis("SETNX", self.key, "1") == 1 then
    redis("EXPIRE", self.key, self.ttl_s)
    return true
  else
    return false
  end
end

function Lock:acquire()
  local try_count = 0
  while true do
    try_count = try_count + 1
    local ok, locked = pcall(try_lock, self)
    if not ok then
      return true -- catch (Exception e)
    end
    if locked then
      return true
    end
    if try_count >= max_try_count then
      return false
    end
    sleep(try_interval_ms)
  end
end

function Lock:release()
  redis("DEL", self.key)
  return true
end

return Lock
