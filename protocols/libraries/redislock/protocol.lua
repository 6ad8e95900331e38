-- redislock 1.3.0 for node.js: one object for each key and process, which refuses to be acquired twice, and tries once,
-- which is its default. (EVAL stands for its EVALSHA, and EVAL after NOSCRIPT.)
local release = script "release.lua"

local Lock = protocol {
  title = "redislock 1.3.0 (npm)",
  source = "https://www.npmjs.com/package/redislock/v/1.3.0, lib/lock.js",
  shared_connection = true,
}

function Lock:acquire()
  self.id = self.id or unique()  -- made with the object
  if self.locked then error("lock already held") end
  self.locked = redis("SET", self.key, self.id, "PX", self.ttl_ms, "NX") == OK
  return self.locked
end

-- An error reply or a broken connection leaves the object locked.
function Lock:release()
  if not self.locked then error("lock has not been acquired") end
  local deleted = release({ self.key }, { self.id })
  self.locked = false
  if deleted == 0 then error("lock had expired") end
  return true
end

return Lock
