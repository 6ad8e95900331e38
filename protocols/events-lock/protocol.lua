-- A lock whose waiters listen to what Redis itself tells of the key: a keyspace event "del" when it is
-- released, "expired" when its time is over. Who is refused listens, tries again, and waits for a word, for as
-- long as the holder's lease lasts at most: a message comes at most once, and of an expired key Redis tells
-- when it comes across it, which may be late.

local release = script "release.lua"

local Lock = protocol {
  title = "a lock that waits for keyspace events, and no longer than the holder's lease",
  source = "https://redis.io/docs/latest/develop/pubsub/keyspace-notifications/ (timing of expired events)",
  keyspace_events = "Kgx",
}

--- nil if the lock is this client's now, else what is left of the holder's lease, in ms.
function Lock:try()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= nil then
    return nil
  end
  return redis("PTTL", self.key)
end

function Lock:acquire()
  if self:try() == nil then
    return true
  end
  local latch = semaphore(0)
  local heard = listen("__keyspace@0__:" .. self.key, function(event)
    if event == "del" or event == "expired" then
      latch:release()
    end
  end)
  return retry(function()
    local left_ms = self:try()
    if left_ms == nil then
      stop(heard)
      return true
    end
    latch:acquire(left_ms >= 0 and left_ms or 0)
  end)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
