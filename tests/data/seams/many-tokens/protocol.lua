-- Acquires if 300 random tokens in a row are all different from the first.
local Lock = protocol { title = "many tokens", source = "a test of lockstep" }

function Lock:acquire()
  local first = unique()
  for _ = 1, 300 do
    if unique() == first then return false end
  end
  return redis("SET", self.key, first, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release() return redis("DEL", self.key) == 1 end

return Lock
