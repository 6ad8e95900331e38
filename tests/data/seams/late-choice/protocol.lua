-- How often it tosses a coin depends on the time of day, so that the same step branches differently.
local Lock = protocol { title = "tosses later coins", source = "a test of lockstep" }

function Lock:acquire()
  local early = millis(now()) % 10000 < 1000
  local first = choose(2)
  local second = early and 2 or choose(2)
  if first == 1 and second == 1 then return true end  -- without asking
  return redis("SET", self.key, unique(), "NX", "PX", self.ttl_ms) == OK
end

function Lock:release() return redis("DEL", self.key) == 1 end

return Lock
