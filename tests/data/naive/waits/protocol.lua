-- Asks again every second, for ever.
local Lock = protocol { title = "SETNX, tried every second", source = "a test of lockstep" }

function Lock:acquire()
  return retry(function() return redis("SETNX", self.key, "x") == 1 end, 1000)
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
