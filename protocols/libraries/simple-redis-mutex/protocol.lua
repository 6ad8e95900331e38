-- simple-redis-mutex 3.0.0 for node.js (node-redis), its lock() with the default options; the holder calls
-- refreshTimeout() whenever half of the lease is over. Errors in an attempt, which nobody catches, are taken to be
-- survived. (EVAL stands for SCRIPT LOAD and EVALSHA. There is one lock: each message is about it.)
local release = script "release.lua"

local POLL_MS = 10000
local PREFIX = "@simple-redis-mutex:"
local CHANNEL, COUNTER = PREFIX .. "locks-releases", PREFIX .. "fencing-tokens"

local Lock = protocol {
  title = "simple-redis-mutex 3.0.0 (npm)",
  source = "https://www.npmjs.com/package/simple-redis-mutex/v/3.0.0, dist/index.js",
  leases = { PREFIX .. "lock-{key}" },
  permanent = { COUNTER },
  shared_connection = true,
}

invariant("of those inside, the one whose key it is has the highest fencing token", function(world)
  local owner, highest = nil, 0
  for _, client in ipairs(world.clients) do
    for key in pairs(client.holds) do
      local mine, entry = client.locks[key], world.nodes[1].keys[PREFIX .. "lock-" .. key]
      highest = math.max(highest, mine.fence)
      if entry and entry.value == mine.token then owner = mine.fence end
    end
  end
  return not owner or owner == highest
end)

local function name(self)
  return PREFIX .. "lock-" .. self.key
end

local attempt

-- Once for the process, and for ever.
local function subscribed(self)
  if self.process.heard and alive(self.process.heard) then return end
  self.process.heard = listen(CHANNEL, function()
    if self.attempting then spawn(attempt, self) end
  end)
end

local function try(self)
  subscribed(self)
  local token = unique()
  if redis("SET", name(self), token, "PX", self.ttl_ms, "NX") ~= OK then return end
  return token, redis("INCR", COUNTER)
end

-- Each message, of its own last release, too, makes one more, whatever becomes of those under way. The first that
-- succeeds is lock()'s answer; what a later one takes is nobody's.
function attempt(self)
  local ok, token, fence = pcall(try, self)
  if not ok or not token or not self.attempting then return end
  self.attempting, self.token, self.fence = false, token, fence
  stop(self.poll)
  self.resolved:release()
end

local function refreshed(self)
  if self.released or redis("GET", name(self)) ~= self.token then
    self.released = true
    return false
  end
  redis("PEXPIRE", name(self), self.ttl_ms)
end

function Lock:acquire()
  self.attempting, self.released, self.resolved = true, false, semaphore(0)
  self.poll = every(POLL_MS, function() spawn(attempt, self) end)
  spawn(attempt, self)
  self.resolved:acquire()
  self.resolved = nil
  self.refresher = every(self.ttl_ms // 2, function() return refreshed(self) end)
  return true, self.fence
end

-- It does not say whether there was anything to release.
function Lock:release()
  stop(self.refresher)
  if not self.released then release({ name(self), CHANNEL }, { self.token }) end
  self.released = true
end

return Lock
