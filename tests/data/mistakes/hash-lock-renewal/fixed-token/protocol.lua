-- Mistake: every client has the same token.
-- Otherwise as hash-lock-renewal. Seen by: --property mutual-exclusion

local lock = script "lock.lua"
local renew = script "renew.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title = "re-entrant: a hash with owner and count, renewed on a timer",
  source = "分布式锁-By Redis (seed 002), section 自动续期1.0版本",
}

--- Who holds: process and thread. (The article's example has 'thread-1', which is not unique among processes.)
local function owner(self)
  self.process.id = self.process.id or "1"
  return self.process.id .. ":thread-" .. task_id()
end

function Lock:acquire()
  local me = owner(self)
  if lock({ self.key }, { me, self.ttl_s }) == 0 then
    return false
  end
  local mine = task_local()
  if mine.timer == nil or not alive(mine.timer) then
    mine.timer = every(self.ttl_ms // 3, function()
      return renew({ self.key }, { me, self.ttl_s }) == 1
    end)
  end
  return true
end

function Lock:release()
  local reply = unlock({ self.key }, { owner(self) })
  local mine = task_local()
  if reply ~= 0 and mine.timer ~= nil then
    stop(mine.timer)
    mine.timer = nil
  end
  return reply ~= nil -- nil: not the owner; 1: released; 0: still held
end

return Lock
