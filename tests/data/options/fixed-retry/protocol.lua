-- A token lock whose client asks again every 100 ms until it has the lock.
local release = script "release.lua"

local Lock = protocol { title = "SET NX PX, asked again every 100 ms", source = "made up" }

function Lock:acquire()
  self.token = unique()
  return retry(function()
    return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
  end, 100)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
