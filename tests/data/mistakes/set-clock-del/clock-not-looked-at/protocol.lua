-- Mistake: the release deletes without looking at the clock.
-- Otherwise as set-clock-del. Seen by: --work-ms 15000 --property foreign-release

local Lock = protocol {
  title = "SET NX PX; DEL if the local clock says that the lease has not ended",
  source = "a pattern in several libraries; failures catalogue A12",
}

function Lock:acquire()
  self.deadline = now() + self.ttl_ms
  return redis("SET", self.key, 1, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("DEL", self.key) == 1
end

return Lock
