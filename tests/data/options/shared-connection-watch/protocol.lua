-- As watch-multi-del, but all threads of the client send on one connection, which a transaction is
-- of: what another thread sends between MULTI and EXEC is queued in it.

local Lock = protocol {
  title = "SET NX PX with a token; WATCH, GET, compare, MULTI, DEL, EXEC; one connection for all threads",
  source = "Redis transactions (redis.io): MULTI and WATCH are of the connection",
  shared_connection = true,
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
