-- As reaper-late, but one script looks for the owner's sign of life, takes the lock of a dead one, and shows its own.

local release = script "release.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "a lock without expiry; one script looks for the owner's sign of life and takes it over",
  source = "failures catalogue K01, K02 (fixed)",
}

local function busy(self, token) return self.key .. ":busy:" .. token end

-- As long as a job lives, it says so.
local function heartbeat(self)
  return every(self.ttl_ms // 3, function()
    redis("SET", busy(self, self.token), 1, "PX", self.ttl_ms)
    return true
  end)
end

function Lock:acquire()
  self.token = unique()
  local keys = { self.key, busy(self, self.token) }
  if take(keys, { self.token, self.ttl_ms, busy(self, "") }) ~= 1 then return false end
  self.heart = heartbeat(self)
  return true
end

function Lock:release()
  stop(self.heart)
  return release({ self.key, busy(self, self.token) }, { self.token }) == 1
end

return Lock
