-- Never stops looking at its key.
local Lock = protocol { title = "a task that nobody stops", source = "a test of lockstep" }

function Lock:acquire()
  local got = redis("SET", self.key, "x", "NX", "PX", self.ttl_ms) == OK
  if got then every(1000, function() redis("GET", self.key) end) end
  return got
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
