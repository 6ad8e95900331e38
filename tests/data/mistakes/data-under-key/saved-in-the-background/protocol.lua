-- Mistake: the result is saved by a task of its own, which nobody waits for.
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
  spawn(function()
    redis("SET", self.key, "the result")  -- the application saves what it has worked out
  end)
  return release({ self.key }, { self.token }) == 1
end

return Lock
