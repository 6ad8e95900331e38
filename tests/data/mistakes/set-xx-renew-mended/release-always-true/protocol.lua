-- Mistake: release says true whatever the script said.
-- Otherwise as set-xx-renew-mended. Seen by: --property honest-result --fault pause=1

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX, renewed by compare-and-expire in Lua; compare-and-delete in Lua",
  source = "renew.lua: lockstep's own; the rest as in 分布式锁-By Redis (seed 002), section 自动续期",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "PX", self.ttl_ms, "NX") ~= OK then
    return false
  end
  self.timer = every(self.ttl_ms // 3, function()
    return renew({ self.key }, { self.token, self.ttl_ms }) == 1
  end)
  return true
end

function Lock:release()
  stop(self.timer)
  self.timer = nil
  release({ self.key }, { self.token })
  return true
end

return Lock
