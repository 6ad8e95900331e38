-- Who holds a permit is in a sorted set, with the time at which it got it, by its own clock. Whose
-- time is older than the timeout is removed by whoever comes next.

local acquire = script "acquire.lua"

local Semaphore = protocol {
  title = "semaphore: a sorted set of holders with the client's time",
  source = "the commands of redis-semaphore 5 (npm), as failures catalogue I01 describes them; a script of our own",
  settings = { limit = 1 },
}

function Semaphore:acquire()
  self.holder = unique()
  local arguments = { setting("limit"), self.ttl_ms, self.holder, millis(now()) }
  return acquire({ self.key }, arguments) == 1
end

function Semaphore:release()
  return redis("ZREM", self.key, self.holder) == 1
end

return Semaphore
