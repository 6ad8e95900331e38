-- DESIGN.md's example of harm between two deadlines: after the reply the client looks how much of its lease is
-- left, and takes the lock only if it is more than 5 ms. It then takes 10 ms to get ready.
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, and a look at what is left of the lease",
  source = "lockstep's DESIGN.md, section 3",
}

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  if self.ttl_ms - (monotonic() - start) > 5 then
    sleep(10)
    return true
  end
  release({ self.key }, { self.token })
  return false
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
