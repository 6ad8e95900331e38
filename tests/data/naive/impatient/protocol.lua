-- A mistake on purpose: a fresh token and a timestamp every 2 ms, for ever, against a value that nobody takes over.
local Lock = protocol { title = "tries every 2 ms", source = "a test of lockstep" }

function Lock:acquire()
  return retry(function()
    return redis("SETNX", self.key, unique() .. millis(now())) == 1
  end, 2)
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
