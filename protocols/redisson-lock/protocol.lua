-- Redisson's lock, as the article describes it: a hash with the owner `id:thread` and its count; a watchdog
-- that renews the lease (lock() without a lease time); a release that counts down, deletes and publishes. Who
-- is refused hears what is left of the holder's lease, subscribes to the channel, tries again, and waits for a
-- message for as long as that at most.
-- Repairs: the scripts of the article are pictures, so these are written from its words. The watchdog's
-- interval is a third of the lease, as in Redisson's documentation (lockWatchdogTimeout).

local lock = script "lock.lua"
local renew = script "renew.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "Redisson's lock: a hash, a watchdog, waiting for a message",
  source = "seed 000_53ff98651b4aff34.txt, section on Redisson",
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
  local me = owner(self)
  local left_ms = lock({ self.key }, { self.ttl_ms, me })
  if left_ms ~= nil then
    return left_ms
  end
  local mine = task_local()
  if mine.watchdog == nil or not alive(mine.watchdog) then
    mine.watchdog = every(self.ttl_ms // 3, function()
      return renew({ self.key }, { self.ttl_ms, me }) == 1
    end)
  end
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
  local mine = task_local()
  local ok, reply = pcall(function()
    return unlock({ self.key, channel(self) }, { self.ttl_ms, owner(self) })
  end)
  if (not ok or reply ~= 0) and mine.watchdog ~= nil then
    stop(mine.watchdog)
    mine.watchdog = nil
  end
  if not ok then
    error(reply, 0)
  end
  return reply ~= nil
end

return Lock
