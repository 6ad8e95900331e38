-- Mistake: the default has become 50 ms, shorter than the short work too.
-- Otherwise as default-ttl. Seen by: --work-ms 100 --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX 500: a default that the caller has not chosen",
  source = "a pattern; failures catalogue A28",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", 50) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
