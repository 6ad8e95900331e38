-- redis-semaphore 5.8.0 for node.js, its Mutex: one object for each key and process, with the default refresh timer,
-- and an acquireTimeout of 3 s and a retryInterval of 1 s (instead of 10 s and 10 ms, for the search). lost() is
-- onLockLost, EVAL is EVALSHA and EVAL; an error in the timer, which nobody catches, is taken to be survived.
local refresh, release = script "refresh.lua", script "release.lua"

local ACQUIRE_MS, RETRY_MS = 3000, 1000

local Lock = protocol {
  title = "redis-semaphore 5.8.0 (npm), Mutex",
  source = "https://www.npmjs.com/package/redis-semaphore/v/5.8.0, lib/Lock.js, lib/mutex",
  leases = { "mutex:{key}" },
  shared_connection = true,
}

local function refreshed(self)
  if self.refreshing then return end
  self.refreshing = true
  local ok, reply = pcall(refresh, { "mutex:" .. self.key }, { self.identifier, self.ttl_ms })
  if ok and reply ~= 1 and self.acquired then
    self.acquired = false
    stop(self.timer)
    lost(self)
  end
  self.refreshing = false
end

function Lock:acquire()
  self.identifier = self.identifier or unique()  -- made with the object
  self.finish = now() + ACQUIRE_MS
  return retry(function()
    if now() >= self.finish then
      self.finish = nil
      return GIVE_UP
    end
    if redis("SET", "mutex:" .. self.key, self.identifier, "PX", self.ttl_ms, "NX") == OK then
      self.acquired, self.finish = true, nil
      self.timer = every((self.ttl_ms * 8 + 5) // 10, function() spawn(refreshed, self) end)
      return true
    end
  end, RETRY_MS)
end

-- Without a request if the lock is known to be lost; and it does not say whether there was anything to release.
function Lock:release()
  stop(self.timer)
  if self.acquired then release({ "mutex:" .. self.key }, { self.identifier }) end
  self.acquired = false
end

return Lock
