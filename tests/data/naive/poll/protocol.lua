-- Polls in a tight loop, without sleeping.
local Lock = protocol { title = "polls without a pause", source = "a test of lockstep" }

function Lock:acquire()
  local token = unique()
  return retry(function()
    return redis("SET", self.key, token, "NX", "PX", self.ttl_ms) == OK
  end)
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
