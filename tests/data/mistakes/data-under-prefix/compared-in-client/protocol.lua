-- Mistake: the comparison has moved from the script to the client.
-- Otherwise as data-under-prefix. Seen by: --fault delay=1 --property foreign-release


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
  return redis("GET", "lock:" .. self.key) == self.token and redis("DEL", "lock:" .. self.key) == 1
end

return Lock
