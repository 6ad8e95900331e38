-- A transaction alone is no compare-and-delete: what GET has read may have changed by the time of
-- EXEC, and without WATCH nothing tells.
--   GET the key; another's: give up; own: MULTI, DEL, EXEC.

local Lock = protocol {
  title = "SET NX PX with a token; GET, compare, MULTI, DEL, EXEC",
  source = "Redis documentation, Transactions, section Optimistic locking using check-and-set: the way without WATCH",
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
