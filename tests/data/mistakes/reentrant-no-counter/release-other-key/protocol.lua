-- Mistake: release works on another key than acquire.
-- Otherwise as reentrant-no-counter. Seen by: --property honest-result

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET if owner, else SET NX; compare-and-delete in Lua",
  source = "https://github.com/zeromicro/go-zero/issues/1338 (the idea); acquire.lua: lockstep's own; " ..
    "release.lua as in 分布式锁-By Redis (seed 002), section 解锁",
}

function Lock:acquire()
  self.token = self.token or unique()
  return acquire({ self.key }, { self.token, self.ttl_ms }) == OK
end

function Lock:release()
  release({ "lock:" .. self.key }, { self.token })
  return true
end

return Lock
