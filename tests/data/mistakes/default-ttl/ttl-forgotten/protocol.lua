-- Mistake: SET without PX: the key never expires.
-- Otherwise as default-ttl. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX 500: a default that the caller has not chosen",
  source = "a pattern; failures catalogue A28",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
