-- redis-lock 1.0.0 for node.js (node-redis 4). It tries every 50 ms: here every 1000 ms, for the search.
local RETRY_MS = 1000

local Lock = protocol {
  title = "redis-lock 1.0.0 (npm)",
  source = "https://www.npmjs.com/package/redis-lock/v/1.0.0, index.js",
  leases = { "lock.{key}" },
  shared_connection = true,
}

-- An error is a refusal, and is followed by the next try.
function Lock:acquire()
  return retry(function()
    local finish = now() + self.ttl_ms + 1
    local ok, reply = pcall(redis, "SET", "lock." .. self.key, millis(finish), "PX", self.ttl_ms, "NX")
    if ok and reply == OK then
      self.finish = finish
      return true
    end
  end, RETRY_MS)
end

-- It resolves to what DEL says, or to nothing.
function Lock:release()
  local finish = self.finish
  self.finish = nil
  if finish > now() then return redis("DEL", "lock." .. self.key) == 1 end
end

return Lock
