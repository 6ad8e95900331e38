-- A mistake on purpose: release() sends nothing and says yes; the key has no expiry.
local Lock = protocol { title = "releases nothing", source = "a test of lockstep" }

function Lock:acquire()
  return redis("SETNX", self.key, 1) == 1
end

function Lock:release()
  return true
end

return Lock
