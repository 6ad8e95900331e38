-- A mistake on purpose: asks again at once, for ever, when the connection is broken.
local Lock = protocol { title = "spins on a dead node", source = "a test of lockstep" }

function Lock:acquire()
  while true do
    local answered, reply = pcall(redis, "SET", self.key, unique(), "NX", "PX", self.ttl_ms)
    if answered then return reply == OK end
  end
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
