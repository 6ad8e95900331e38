-- Compare-and-delete without a script: WATCH, GET, MULTI, DEL, EXEC. EXEC deletes nothing if anybody
-- has touched the key since WATCH, or if it has expired meanwhile.
--   WATCH the key; GET it; another's: UNWATCH, give up; own: MULTI, DEL, EXEC.

local Lock = protocol {
  title = "SET NX PX with a token; WATCH, GET, compare, MULTI, DEL, EXEC",
  source = "redis-py pull request 1031 (2018), what it proposes: WATCH as before, and MULTI behind the GET",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
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
