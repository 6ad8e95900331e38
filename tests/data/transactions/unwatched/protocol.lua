-- As watched, but WATCH is forgotten: between GET and EXEC the lock can change hands.

local Lock = protocol {
  title = "SET NX PX with a token; GET, compare, MULTI, DEL, EXEC",
  source = "a mistake in transactions/watched",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  if redis("GET", self.key) ~= self.token then return false end
  redis("MULTI")
  redis("DEL", self.key)
  local replies = redis("EXEC")
  return replies ~= nil and replies[1] == 1
end

return Lock
