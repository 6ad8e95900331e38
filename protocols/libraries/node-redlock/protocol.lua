-- node-redlock 2.3.0 for node.js, on ioredis clients: using() with autoExtend. Nobody tells its routine of an
-- extension that failed: that is an event, which is taken to be heard. (A connection error stands for what ioredis
-- gives up, after sending it again by itself.)
local renew, release = script "renew.lua", script "release.lua"

local TRIES, RETRY_MS = 3, 200

local Lock = protocol {
  title = "node-redlock 2.3.0 (npm), on ioredis",
  source = "https://www.npmjs.com/package/node-redlock/v/2.3.0, redlock.ts",
  quorum = "majority",
  shared_connection = true,
}

local function count(self, answers, good)
  local n = 0
  for _, answer in ipairs(answers) do
    if answer.ok and answer.reply == good then n = n + 1 end
  end
  return n
end

local function released(self)
  call_all { "EVAL", release.source, 1, self.key, self.value }
end

-- Every node has to renew, or it is given up.
local function renewed(self)
  local answers = call_all { "EVAL", renew.source, 1, self.key, self.value, self.ttl_ms }
  if count(self, answers, 1) < self.nodes then
    stop(self.timer)
    log("error event: not extended")
  end
end

function Lock:acquire()
  self.value = unique()  -- one for all tries
  self.tries = 0
  return retry(function()
    if self.tries == TRIES then return GIVE_UP end
    self.tries = self.tries + 1
    local start = now()
    local got = count(self, call_all { "SET", self.key, self.value, "PX", self.ttl_ms, "NX" }, OK)
    if got >= self.nodes // 2 + 1 and now() - start < self.ttl_ms * 99 // 100 then
      self.timer = every(self.ttl_ms * 8 // 10, function() spawn(renewed, self) end)
      return true
    end
    released(self)
  end, RETRY_MS)
end

-- It does not say whether there was anything to release.
function Lock:release()
  stop(self.timer)
  released(self)
end

return Lock
