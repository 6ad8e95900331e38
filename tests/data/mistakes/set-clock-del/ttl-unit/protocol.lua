-- Mistake: the lease in seconds is given as milliseconds.
-- Otherwise as set-clock-del. Seen by: --property mutual-exclusion

local Lock = protocol {
  title = "SET NX PX; DEL if the local clock says that the lease has not ended",
  source = "a pattern in several libraries; failures catalogue A12",
}

function Lock:acquire()
  self.deadline = now() + self.ttl_ms
  return redis("SET", self.key, 1, "NX", "PX", self.ttl_s) == OK
end

function Lock:release()
  if now() < self.deadline then
    return redis("DEL", self.key) == 1
  end
  return false
end

return Lock
