-- SET NX PX with a token, compared and deleted by a script.
local release = script "release.lua"

local Lock = protocol { title = "SET NX PX, compare-and-delete", source = "a test of lockstep" }

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
