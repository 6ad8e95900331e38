-- A lock whose waiters track its key, as clients do that keep a cache: Redis tells them of whatever
-- becomes of it. Who is refused tries again whenever it is told, and where all that it knows may be
-- wrong: after a flush, and after its connection was made again. (rueidislock waits so, by the keys
-- that its connection has read.)

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, waiting for an invalidation message (CLIENT TRACKING)",
  source = "https://github.com/redis/rueidis/blob/v1.0.76/rueidislock/lock.go",
  tracking = true,
  settings = {
    empties = true,  -- what was not heard is made good
  },
}

function Lock:acquire()
  local latch = semaphore(0)
  local heard = listen(self.key, function(keys)
    if keys or setting("empties") then latch:release() end
  end, { tracking = true })
  return retry(function()
    self.token = unique()
    if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) then
      stop(heard)
      return true
    end
    return false
  end, latch)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
