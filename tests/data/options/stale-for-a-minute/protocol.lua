-- A lock whose clients lose their faith in it a minute after its first use, without asking Redis.
local Lock = protocol {
  title = "SET NX PX, not asked any more after a minute",
  source = "made up",
  permanent = { "first-use" },
}

function Lock:acquire()
  local asked_ms = millis(now())
  local first_ms = redis("GET", "first-use")
  if first_ms and asked_ms - tonumber(first_ms) >= 60000 then return true end
  if redis("SET", self.key, "held", "NX", "PX", self.ttl_ms) ~= OK then return false end
  if not first_ms then redis("SET", "first-use", asked_ms) end
  return true
end

function Lock:release()
  redis("DEL", self.key)
  return true
end

return Lock
