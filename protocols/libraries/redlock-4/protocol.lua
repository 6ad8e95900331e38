-- redlock 4.2.0 for node.js, as its lock() and unlock() send it to one node or several, at once. (EVAL stands for
-- its EVALSHA, and EVAL after NOSCRIPT; a pause of 200 ms for one of 100 to 300 ms.)
local lock, unlock = script "lock.lua", script "unlock.lua"

local RETRIES, RETRY_MS = 10, 200

local Lock = protocol {
  title = "redlock 4.2.0 (npm)",
  source = "https://www.npmjs.com/package/redlock/v/4.2.0, redlock.js",
  nodes = 1,
  quorum = "majority",
}

-- How many nodes did it for all of its one key.
local function votes(request)
  local done = 0
  for _, answer in ipairs(call_all(request)) do
    if answer.ok and answer.reply == 1 then done = done + 1 end
  end
  return done
end

local function release_everywhere(self)
  return votes { "EVAL", unlock.source, 1, self.key, self.token }
end

function Lock:acquire()
  self.token = unique()  -- one for all tries
  self.tries = 0
  return retry(function()
    self.tries = self.tries + 1
    local start = now()
    local got = votes { "EVAL", lock.source, 1, self.key, self.token, self.ttl_ms }
    local drift = (self.ttl_ms + 50) // 100 + 2
    if got >= self.nodes // 2 + 1 and now() - start < self.ttl_ms - drift then return true end
    release_everywhere(self)
    if self.tries > RETRIES then return GIVE_UP end
  end, RETRY_MS)
end

-- Its promise is rejected unless a majority has said that it removed the key: an error, which claims nothing.
function Lock:release()
  if release_everywhere(self) < self.nodes // 2 + 1 then error("Unable to fully release the lock") end
  return true
end

return Lock
