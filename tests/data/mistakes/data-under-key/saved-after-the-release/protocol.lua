-- Mistake: the result is saved after the release, over the lock of the next.
-- Otherwise as data-under-key. Seen by: --property foreign-release

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
  local released = release({ self.key }, { self.token }) == 1
  redis("SET", self.key, "the result")  -- the application saves what it has worked out
  return released
end

return Lock
