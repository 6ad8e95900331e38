-- rueidislock of rueidis 1.0.76 with KeyMajority 1 (one node), TryWithContext, FallbackSETPX, and
-- DisableCache, so that nobody is told of a key's end by the server. An extension's lifetime is a date of
-- the client's clock. (EVAL stands for EVALSHA, and EVAL after NOSCRIPT; the pause before a request is sent
-- again, which begins with microseconds, is left out, and each has its whole time.)
local acquire = script "acquire.lua"
local extend = script "extend.lua"
local delete = script "delete.lua"

local TRY_MS = 20  -- TryNextAfter

local Lock = protocol {
  title = "rueidislock 1.0.76 (Go), one key",
  source = "https://github.com/redis/rueidis/blob/v1.0.76/rueidislock/lock.go",
  shared_connection = true,
}

-- A retryable script: after a connection error it is sent again.
local function resent(self, handle, arguments, timeout_ms)
  while true do
    local ok, answer = pcall(handle, { self.key }, arguments, { timeout_ms = timeout_ms })
    if ok then return answer end
    if answer.kind ~= "connection" then error(answer) end
  end
end

-- What becomes of it is not looked at.
local function give_back(self, value)
  pcall(resent, self, delete, { value }, self.ttl_ms)
end

local function extended(self, value)
  local until_ms = millis(now()) + self.ttl_ms
  local ok, answer = pcall(resent, self, extend, { value, until_ms }, self.ttl_ms)
  if ok and answer == 1 then return true end
  if not ok then give_back(self, value) end  -- before the holder's context is cancelled
  lost(self)
  return false
end

function Lock:acquire()
  local value, began = unique(), monotonic()
  local ok, answer = pcall(resent, self, acquire, { value, self.ttl_ms }, TRY_MS)
  if not ok or (answer ~= nil and monotonic() - began >= self.ttl_ms) then
    give_back(self, value)
    error("failed to acquire the majority of keys")
  end
  if answer == nil then return false end
  self.value = value
  self.monitor = every(self.ttl_ms // 2, function() return extended(self, value) end)
  return true
end

function Lock:release()
  stop(self.monitor)
  give_back(self, self.value)
end

return Lock
