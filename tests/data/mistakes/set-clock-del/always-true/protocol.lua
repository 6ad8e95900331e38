-- Mistake: the release says true, also where it leaves the key alone.
-- Otherwise as set-clock-del. Seen by: --work-ms 15000 --property honest-result

local Lock = protocol {
  title = "SET NX PX; DEL if the local clock says that the lease has not ended",
  source = "a pattern in several libraries; failures catalogue A12",
}

function Lock:acquire()
  self.deadline = now() + self.ttl_ms
  return redis("SET", self.key, 1, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  if now() < self.deadline then
    redis("DEL", self.key)
  end
  return true
end

return Lock
