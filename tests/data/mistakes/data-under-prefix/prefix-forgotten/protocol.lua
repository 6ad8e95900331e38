-- Mistake: the lock is taken without the prefix, and the result overwrites it.
-- Otherwise as data-under-prefix. Seen by: --property deadlock

local release = script "release.lua"

local Lock = protocol {
  title = "the application writes a key; its lock has a prefix",
  source = "mike-marcacci/node-redlock#131",
  leases = { "lock:{key}" },
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  redis("SET", self.key, "the result")  -- the application saves what it has worked out
  return release({ self.key }, { self.token }) == 1
end

return Lock
