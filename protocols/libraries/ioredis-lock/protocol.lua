-- ioredis-lock 4.0.0 for node.js: one object for each key and process, which refuses to be acquired twice, with two
-- retries, one a second (instead of none, by default). (EVAL stands for its EVALSHA, and EVAL after NOSCRIPT; a
-- connection error for what ioredis gives up, after sending it again by itself.)
local release = script "release.lua"

local RETRIES, RETRY_MS = 2, 1000

local Lock = protocol {
  title = "ioredis-lock 4.0.0 (npm)",
  source = "https://www.npmjs.com/package/ioredis-lock/v/4.0.0, src/lock.js",
  shared_connection = true,
}

-- No workload acquires it twice without release() between: what is refused here has been given back.
invariant("what release() was called for can be acquired again", function(world)
  for _, client in ipairs(world.clients) do
    for _, mine in pairs(client.locks) do
      if mine.stuck then return false end
    end
  end
  return true
end)

function Lock:acquire()
  self.id = self.id or unique()  -- made with the object
  if self.locked then
    self.stuck = true
    error("already held")
  end
  self.left = RETRIES
  return retry(function()
    if redis("SET", self.key, self.id, "PX", self.ttl_ms, "NX") == OK then
      self.locked = true
      return true
    end
    if self.left == 0 then return GIVE_UP end
    self.left = self.left - 1
  end, RETRY_MS)
end

-- An error leaves it locked, until somebody calls release() again.
function Lock:release()
  if not self.locked then error("not acquired") end
  local deleted = release({ self.key }, { self.id })
  self.locked = false
  if deleted == 0 then error("had expired") end
  return true
end

return Lock
