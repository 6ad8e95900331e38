-- The renewal looks at no owner and comes after the lease has ended: it extends whatever lock is there.
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, renewed too late and whosever it is",
  source = "lockstep's own test data",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.renewal = every(self.ttl_ms * 3 // 2, function()
    return redis("PEXPIRE", self.key, self.ttl_ms) == 1
  end)
  return true
end

function Lock:release()
  stop(self.renewal)
  return release({ self.key }, { self.token }) == 1
end

return Lock
