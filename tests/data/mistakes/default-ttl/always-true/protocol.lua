-- Mistake: the release says true, whatever the script returned.
-- Otherwise as default-ttl. Seen by: --fault pause=1 --property honest-result

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX 500: a default that the caller has not chosen",
  source = "a pattern; failures catalogue A28",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", 500) == OK
end

function Lock:release()
  release({ self.key }, { self.token })
  return true
end

return Lock
