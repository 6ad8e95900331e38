-- As readonly-swallowed, but release() asks again, every 100 ms, while the answer is READONLY. Any other error is one
-- of release() itself: who asks again after a connection error may hear 0, because the reply that was lost was a 1.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; release asks until a master answers",
  source = "failures catalogue F05 (fixed)",
  replicas = 1,
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  local freed
  retry(function()
    local answered, count = pcall(release, { self.key }, { self.token })
    if not answered and count.code ~= "READONLY" then error(count) end
    if answered then freed = count == 1 end
    return answered
  end, 100)
  return freed
end

return Lock
