-- The watchdog is started by a task of its own, as a callback of the reply: release() may come
-- first, find none to stop, and the watchdog that starts after it goes on for ever. It does not
-- look at what the server answers.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that is started asynchronously",
  source = "redisson#7272",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  spawn(function()
    self.watchdog = every(self.ttl_ms // 3, function()
      pcall(renew, { self.key }, { self.token, self.ttl_ms })
    end)
  end)
  return true
end

function Lock:release()
  if self.watchdog then
    stop(self.watchdog)
    self.watchdog = nil
  end
  return release({ self.key }, { self.token }) == 1
end

return Lock
