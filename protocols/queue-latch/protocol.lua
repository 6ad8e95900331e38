-- A fair lock with a renewal: who waits stands in a sorted set with the time until which it is waited
-- for, hears what would be left of the holder's lease, and waits for a message for a little longer; a rest that
-- is negative, for the holder has renewed, is taken for no bound. `bounded`: it hears a whole lease.

local take = script "take.lua"
local renew = script "renew.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "a fair lock: a queue, and a message to the first in it",
  source = "redisson#5503 (a rest of less than nothing); scripts of our own",
  settings = { bounded = true },
}

local function keys_of(self)
  return { self.key, self.key .. ":queue" }
end

function Lock:acquire()
  self.token = unique()
  local latch = semaphore(0)
  local heard = listen(self.key .. ":" .. self.token, function()
    latch:release()
  end)
  return retry(function()
    local rest = take(keys_of(self), { self.token, self.ttl_ms, 5000, setting("bounded") and 1 or 0 })
    if rest == nil then
      stop(heard)
      self.renewal = every(self.ttl_ms // 3, function()
        return renew({ self.key }, { self.token, self.ttl_ms }) == 1
      end)
      return true
    end
    latch:acquire(rest >= 0 and rest * 1000 + 1500 or nil)
  end)
end

function Lock:release()
  stop(self.renewal)
  return release(keys_of(self), { self.token }) == 1
end

return Lock
