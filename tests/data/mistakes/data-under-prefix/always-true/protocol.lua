-- Mistake: the release says true, whatever the script returned.
-- Otherwise as data-under-prefix. Seen by: --fault pause=1 --property honest-result

local release = script "release.lua"

local Lock = protocol {
  title = "the application writes a key; its lock has a prefix",
  source = "mike-marcacci/node-redlock#131",
  leases = { "lock:{key}" },
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", "lock:" .. self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  redis("SET", self.key, "the result")  -- the application saves what it has worked out
  release({ "lock:" .. self.key }, { self.token })
  return true
end

return Lock
