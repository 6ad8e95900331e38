-- A mistake on purpose: its rounds take no time, so that time can never pass.
local Lock = protocol { title = "goes round in no time", source = "a test of lockstep" }

function Lock:acquire()
  redis("SET", self.key, "x", "PX", self.ttl_ms)
  return retry(function()
    sleep(0)
    return false
  end)
end

function Lock:release()
  return true
end

return Lock
