-- The client of your lock, as your code does it. `lockstep check .` runs two of them.
-- What there is to call stands in lockstep.lua, for your editor as well.
local release = script "release.lua" -- its bytes are what the server runs

local Lock = protocol {
  title = "NAME",
  source = "where this lock is described", -- a page, a commit, a package and its version
}

-- A true value: this client has the lock. A second one is its fencing token.
function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

-- Whether the server said that the lock was given back.
function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
