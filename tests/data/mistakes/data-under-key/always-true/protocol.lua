-- Mistake: the release says true, whatever the script returned.
-- Otherwise as data-under-key. Seen by: --property honest-result

local release = script "release.lua"

local Lock = protocol {
  title = "the application writes the key that it locks",
  source = "mike-marcacci/node-redlock#131",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  redis("SET", self.key, "the result")  -- the application saves what it has worked out
  release({ self.key }, { self.token })
  return true
end

return Lock
