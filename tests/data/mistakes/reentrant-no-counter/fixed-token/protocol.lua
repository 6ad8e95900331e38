-- Mistake: every client has the same token.
-- Otherwise as reentrant-no-counter. Seen by: --property mutual-exclusion

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET if owner, else SET NX; compare-and-delete in Lua",
  source = "https://github.com/zeromicro/go-zero/issues/1338 (the idea); acquire.lua: lockstep's own; " ..
    "release.lua as in 分布式锁-By Redis (seed 002), section 解锁",
}

function Lock:acquire()
  self.token = self.token or "1"
  return acquire({ self.key }, { self.token, self.ttl_ms }) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
