-- @redis-kit/lock 0.1.0-3 for node.js (node-redis): withLock() of its Redlock, extended when 1 s is left. Nobody
-- tells its routine of an extension that failed. A pause of 200 ms stands for one of 200 to 300 ms.
local acquire, extend, release = script "acquire.lua", script "extend.lua", script "release.lua"

local RETRIES, RETRY_MS, THRESHOLD_MS = 3, 200, 1000

local Lock = protocol {
  title = "@redis-kit/lock 0.1.0-3 (npm), Redlock",
  source = "https://www.npmjs.com/package/@redis-kit/lock/v/0.1.0-3, dist/redlock.js",
  quorum = "majority",
  shared_connection = true,
}

-- How many nodes did it for the one key.
local function votes(request)
  local done = 0
  for _, answer in ipairs(call_all(request)) do
    if answer.ok and answer.reply == 1 then done = done + 1 end
  end
  return done
end

local function extended(self, wait_ms)
  sleep(wait_ms)
  return votes { "EVAL", extend.source, 1, self.key, self.token, self.ttl_ms } >= self.nodes // 2 + 1
end

-- It ends with the first that fails, by whatever.
local function extending(self, wait_ms)
  if not extended(self, wait_ms) then return end
  return retry(function() return not extended(self, self.ttl_ms - THRESHOLD_MS) end)
end

function Lock:acquire()
  self.tries = 0
  return retry(function()
    self.tries = self.tries + 1
    self.token = unique()
    local start, drift_ms = now(), (self.ttl_ms + 50) // 100
    local got = votes { "EVAL", acquire.source, 1, self.key, self.token, self.ttl_ms }
    local left_ms = start + self.ttl_ms - now() - drift_ms
    if got >= self.nodes // 2 + 1 and left_ms > 1 then
      self.timer = spawn(extending, self, math.max(left_ms - THRESHOLD_MS, 0))
      return true
    end
    votes { "EVAL", release.source, 1, self.key, self.token }
    if self.tries > RETRIES then return GIVE_UP end
  end, RETRY_MS)
end

-- A node that was not heard counts as one that did not remove it.
function Lock:release()
  stop(self.timer)
  return votes { "EVAL", release.source, 1, self.key, self.token } > 0
end

return Lock
