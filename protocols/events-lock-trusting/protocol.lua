-- A lock whose waiters listen to what Redis itself tells of the key: a keyspace event "del" when it is
-- released, "expired" when its time is over. Who is refused listens, tries again, and takes the word for the
-- lock: on "expired" it writes its own token, whoever was faster.

local release = script "release.lua"

local Lock = protocol {
  title = "as events-lock-unbounded, taking the lock without asking when its key has expired",
  source = "https://redis.io/docs/latest/develop/pubsub/keyspace-notifications/ (timing of expired events)",
  keyspace_events = "Kgx",
}

function Lock:try()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= nil
end

function Lock:acquire()
  if self:try() then
    return true
  end
  local latch = semaphore(0)
  local free = false
  local heard = listen("__keyspace@0__:" .. self.key, function(event)
    if event == "del" or event == "expired" then
      free = event == "expired"
      latch:release()
    end
  end)
  return retry(function()
    if free then
      self.token = unique()
      redis("SET", self.key, self.token, "PX", self.ttl_ms)
      stop(heard)
      return true
    end
    if self:try() then
      stop(heard)
      return true
    end
    latch:acquire()
  end)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
