-- A lock whose waiters listen to what Redis itself tells of the key: a keyspace event "del" when it is
-- released, "expired" when its time is over. Who is refused listens, tries again, and waits for a word, however
-- long that takes: a message that is lost does not come again, and a server publishes no event unless its
-- notify-keyspace-events says so.

local release = script "release.lua"

local Lock = protocol {
  title = "as events-lock, waiting for a keyspace event without a bound",
  source = "https://redis.io/docs/latest/develop/pubsub/keyspace-notifications/ (fire and forget; off by default)",
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
  local heard = listen("__keyspace@0__:" .. self.key, function(event)
    if event == "del" or event == "expired" then
      latch:release()
    end
  end)
  return retry(function()
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
