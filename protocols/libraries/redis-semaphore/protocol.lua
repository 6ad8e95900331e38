-- redis-semaphore 5.8.0 for node.js, its Semaphore, of 1 permit: one object for each key and process, with the default
-- refresh timer, and an acquireTimeout of 3 s and a retryInterval of 1 s (instead of 10 s and 10 ms, for the search).
-- lost() stands for onLockLost; an error in the timer is taken to be survived. (EVAL stands for EVALSHA, and EVAL.)
local acquire, refresh = script "acquire.lua", script "refresh.lua"

local LIMIT, ACQUIRE_MS, RETRY_MS = 1, 3000, 1000

local Semaphore = protocol {
  title = "redis-semaphore 5.8.0 (npm), Semaphore of 1 permit",
  source = "https://www.npmjs.com/package/redis-semaphore/v/5.8.0, lib/Lock.js, lib/semaphore",
  leases = { "semaphore:{key}" },
  shared_connection = true,
}

local function ask(self, handle, time)
  return handle({ "semaphore:" .. self.key }, { LIMIT, self.identifier, self.ttl_ms, millis(time) }) == 1
end

local function refreshed(self)
  if self.refreshing then return end
  self.refreshing = true
  local ok, still = pcall(ask, self, refresh, now())
  if ok and not still and self.acquired then
    self.acquired = false
    stop(self.timer)
    lost(self)
  end
  self.refreshing = false
end

function Semaphore:acquire()
  self.identifier = self.identifier or unique()  -- made with the object
  self.finish = now() + ACQUIRE_MS
  return retry(function()
    local time = now()
    if time >= self.finish then
      self.finish = nil
      return GIVE_UP
    end
    if ask(self, acquire, time) then
      self.acquired, self.finish = true, nil
      self.timer = every((self.ttl_ms * 8 + 5) // 10, function() spawn(refreshed, self) end)
      return true
    end
  end, RETRY_MS)
end

-- Without a request if the permit is known to be lost; and it does not say whether there was anything to release.
function Semaphore:release()
  stop(self.timer)
  if self.acquired then redis("ZREM", "semaphore:" .. self.key, self.identifier) end
  self.acquired = false
end

return Semaphore
