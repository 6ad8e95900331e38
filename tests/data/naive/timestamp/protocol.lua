-- The value is the instant at which the lock ends, the key has no expiry: an old value is taken over with GETSET.
local Lock = protocol { title = "SETNX with a timestamp, GETSET to take over", source = "a test of lockstep" }

function Lock:acquire()
  local now_ms = millis(now())
  local ends = now_ms + self.ttl_ms
  if redis("SETNX", self.key, ends) == 1 then return true end
  local old = redis("GET", self.key)
  if old == nil or tonumber(old) >= now_ms then return false end
  return redis("GETSET", self.key, ends) == old
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
