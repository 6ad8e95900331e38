-- Mistake: the reply of SET is not looked at.
-- Otherwise as set-xx-renew-mended. Seen by: --property mutual-exclusion

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX, renewed by compare-and-expire in Lua; compare-and-delete in Lua",
  source = "renew.lua: lockstep's own; the rest as in 分布式锁-By Redis (seed 002), section 自动续期",
}

function Lock:acquire()
  self.token = unique()
  redis("SET", self.key, self.token, "PX", self.ttl_ms, "NX")
  self.timer = every(self.ttl_ms // 3, function()
    return renew({ self.key }, { self.token, self.ttl_ms }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.timer)
  self.timer = nil
  return release({ self.key }, { self.token }) == 1
end

return Lock
