-- As readonly-swallowed, but release() asks again, every 100 ms, until a master answers.

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
    if answered then freed = count == 1 end
    return answered
  end, 100)
  return freed
end

return Lock
