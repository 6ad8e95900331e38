-- redlock-universal 0.8.5 for node.js, the using() of its SimpleLock. (EVAL stands for SCRIPT LOAD and EVALSHA; lost()
-- for the abort signal. PING, by which acquire() asks after the connection, and its circuit breaker, which opens after
-- five errors in a row, are left out.)
local extend, release = script "extend.lua", script "release.lua"

local TRIES, RETRY_MS, TIMEOUT_MS, LEAST_MS = 4, 100, 5000, 1000

local Lock = protocol {
  title = "redlock-universal 0.8.5 (npm), SimpleLock",
  source = "https://www.npmjs.com/package/redlock-universal/v/0.8.5, dist/index.js",
  shared_connection = true,
}

local function extended(self)
  local least_left = math.min(2000, self.ttl_ms // 10)
  local ok, reply = pcall(call, {
    timeout_ms = TIMEOUT_MS, "EVAL", extend.source, 1, self.key, self.token, least_left, self.ttl_ms
  })
  return ok and reply[1] == 1
end

-- One turn: the timer, which ends when a fifth of the lease is left since the last answer, and the extension.
local function turn(self)
  local left_ms = self.since + self.ttl_ms - now() - self.ttl_ms // 5
  if left_ms > LEAST_MS then sleep(left_ms) end
  self.extending = true
  local done = extended(self)
  if done then self.since = now() end
  self.extending = false
  if not done then lost(self) end
  return not done or self.leaving
end

function Lock:acquire()
  self.token = unique()  -- one for all tries
  self.tries, self.extending, self.leaving, self.failed = 0, false, false, nil
  return retry(function()
    self.tries = self.tries + 1
    local ok, reply = pcall(call, { timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "PX", self.ttl_ms, "NX" })
    if ok and reply == OK then
      self.since = now()
      self.timer = spawn(retry, function() return turn(self) end)
      return true
    end
    self.failed = self.failed or not ok
    if self.tries == TRIES then
      if self.failed then error("could not be acquired") end
      return GIVE_UP
    end
  end, RETRY_MS)
end

-- An extension under way is waited for. (The timer that it leaves behind then extends nothing, for the key is gone.) It
-- says nothing, not even of an error.
function Lock:release()
  self.leaving = true
  if self.extending then await(self.timer) else stop(self.timer) end
  self.since = nil
  pcall(call, { timeout_ms = TIMEOUT_MS, "EVAL", release.source, 1, self.key, self.token })
end

return Lock
