-- The way of python-redis-lock: SET NX with a token; release() leaves a signal in a list, and who waits pops
-- it (BLPOP), for as long as a lease at most, and tries again.

local unlock = script "unlock.lua"

local Lock = protocol {
  title = "SET NX PX, and a list from which who waits takes a signal",
  source = "https://python-redis-lock.readthedocs.io/ (how the signal list works), versions since 3.4.0",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK then
      return true
    end
    redis("BLPOP", "signal:" .. self.key, self.ttl_s)
  end)
end

function Lock:release()
  return unlock({ self.key, "signal:" .. self.key }, { self.token, self.ttl_ms }) == 1
end

return Lock
