-- redis-leader 0.1.0 for node.js: elect(), stop() and the events of one object for each key and process; `elected` is
-- acquire(), and `revoked`, of a renewal, lost(). It goes on electing then, until stop(). The key's name is a SHA-1
-- there.
local WAIT_MS = 1000

local Lock = protocol {
  title = "redis-leader 0.1.0 (npm)",
  source = "https://www.npmjs.com/package/redis-leader/v/0.1.0, index.js",
  leases = { "leader:{key}" },
  shared_connection = true,
}

local function name(self)
  return "leader:" .. self.key
end

-- An error is a no.
local function is_leader(self)
  local ok, id = pcall(redis, "GET", name(self))
  return ok and id == self.id
end

local function renewed(self)
  if is_leader(self) then
    pcall(redis, "PEXPIRE", name(self), self.ttl_ms)
  elseif self.renewer then
    stop(self.renewer)
    self.renewer = nil
    lost(self)
  end
end

-- An error is the end of it: an event, after which nobody tries again.
function Lock:acquire()
  self.id = self.id or unique()  -- made with the object
  return retry(function()
    if redis("SET", name(self), self.id, "PX", self.ttl_ms, "NX") == OK then
      self.renewer = every(self.ttl_ms // 2, function() spawn(renewed, self) end)
      return true
    end
  end, WAIT_MS)
end

-- It does not say whether there was anything to release.
function Lock:release()
  if is_leader(self) then pcall(redis, "DEL", name(self)) end
  if self.renewer then stop(self.renewer) end
  self.renewer = nil
end

return Lock
