-- Who holds a permit is in a sorted set, with the time at which it ends, by the node's clock.

local acquire = script "acquire.lua"

local Semaphore = protocol {
  title = "semaphore: a sorted set of holders with the node's time",
  source = "failures catalogue I09 (the .NET library DistributedLock takes the time so); a script of our own",
  settings = { limit = 1 },
}

function Semaphore:acquire()
  self.holder = unique()
  return acquire({ self.key }, { setting("limit"), self.ttl_ms, self.holder }) == 1
end

function Semaphore:release()
  return redis("ZREM", self.key, self.holder) == 1
end

return Semaphore
