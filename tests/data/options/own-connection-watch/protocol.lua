-- As shared-connection-watch, but every thread sends on a connection of its own, and a transaction
-- is of one thread.

local Lock = protocol {
  title = "SET NX PX with a token; WATCH, GET, compare, MULTI, DEL, EXEC; a connection for each thread",
  source = "Redis transactions (redis.io): MULTI and WATCH are of the connection",
}

function Lock:acquire()
  local token = unique()
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.token = token
  return true
end

function Lock:release()
  redis("WATCH", self.key)
  if redis("GET", self.key) ~= self.token then
    redis("UNWATCH")
    return false
  end
  redis("MULTI")
  redis("DEL", self.key)
  local replies = redis("EXEC")
  return replies ~= nil and replies[1] == 1
end

return Lock
