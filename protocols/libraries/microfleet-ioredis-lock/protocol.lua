-- @microfleet/ioredis-lock 6.0.1 for node.js: one object for each key and process, which refuses to be acquired twice.
-- (EVAL stands for its EVALSHA, and EVAL after NOSCRIPT; a pause of 50 ms for one of 50 to 60 ms.)
local release = script "release.lua"

local RETRIES, RETRY_MS = 6, 50

local Lock = protocol {
  title = "@microfleet/ioredis-lock 6.0.1 (npm)",
  source = "https://www.npmjs.com/package/@microfleet/ioredis-lock/v/6.0.1, lib/lock.js",
  shared_connection = true,
}

function Lock:acquire()
  self.id = self.id or unique()  -- made with the object
  if self.locked then error("lock already held") end
  self.tries = 0
  return retry(function()
    self.tries = self.tries + 1
    if redis("SET", self.key, self.id, "PX", self.ttl_ms, "NX") == OK then
      self.locked = true
      return true
    end
    if self.tries > RETRIES then return GIVE_UP end
  end, RETRY_MS)
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
