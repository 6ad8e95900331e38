-- Mistake: the lease in seconds is given as milliseconds.
-- Otherwise as data-under-prefix. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "the application writes a key; its lock has a prefix",
  source = "mike-marcacci/node-redlock#131",
  leases = { "lock:{key}" },
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", "lock:" .. self.key, self.token, "NX", "PX", self.ttl_s) == OK
end

function Lock:release()
  redis("SET", self.key, "the result")  -- the application saves what it has worked out
  return release({ "lock:" .. self.key }, { self.token }) == 1
end

return Lock
