-- As redisson-lock, called with a lease time: lock(10, SECONDS). Nobody renews it then.

local lock = script "lock.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "as redisson-lock, with a lease time and no watchdog",
  source = "seed 000_53ff98651b4aff34.txt, section on Redisson: 如果请求时间为其他值,直接加锁那么久就好了",
}

local function owner(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":" .. task_id()
end

local function channel(self)
  return "unlocked:" .. self.key
end

--- nil if this thread has the lock now, else what is left of the holder's lease, in ms.
function Lock:try()
  return lock({ self.key }, { self.ttl_ms, owner(self) })
end

function Lock:acquire()
  if self:try() == nil then
    return true
  end
  local latch = semaphore(0)
  local heard = listen(channel(self), function()
    latch:release()
  end)
  return retry(function()
    local left_ms = self:try()
    if left_ms == nil then
      stop(heard)
      return true
    end
    latch:acquire(left_ms >= 0 and left_ms or nil)
  end)
end

function Lock:release()
  return unlock({ self.key, channel(self) }, { self.ttl_ms, owner(self) }) ~= nil
end

return Lock
