-- A lock without expiry, and beside it a sign of life of the job that has it. Who is refused looks whether the owner
-- lives, and deletes the lock if not. But a job takes the lock first and shows its sign of life then, and between the
-- look and the DEL anything can happen.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX without expiry; a reaper looks for the owner's sign of life, then deletes",
  source = "failures catalogue K01; https://github.com/mhenrixon/sidekiq-unique-jobs/issues/559",
}

local function busy(self, token) return self.key .. ":busy:" .. token end

-- As long as a job lives, it says so.
local function heartbeat(self)
  return every(self.ttl_ms // 3, function()
    redis("SET", busy(self, self.token), 1, "PX", self.ttl_ms)
    return true
  end)
end

local function take(self) return redis("SET", self.key, self.token, "NX") == OK end

local function reap(self)
  local owner = redis("GET", self.key)
  if owner and redis("EXISTS", busy(self, owner)) == 0 then redis("DEL", self.key) end
end

function Lock:acquire()
  self.token = unique()
  if not take(self) then
    reap(self)
    if not take(self) then return false end
  end
  redis("SET", busy(self, self.token), 1, "PX", self.ttl_ms)
  self.heart = heartbeat(self)
  return true
end

function Lock:release()
  stop(self.heart)
  return release({ self.key, busy(self, self.token) }, { self.token }) == 1
end

return Lock
