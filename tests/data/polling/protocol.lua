-- A client that polls in a tight loop without ever sleeping.
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX in a tight loop, compare-and-delete",
  source = "lockstep's own test data",
}

function Lock:acquire()
  return retry(function()
    self.token = unique()
    return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
  end)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
