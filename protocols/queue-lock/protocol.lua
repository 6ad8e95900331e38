-- A fair lock: who wants it stands in a queue, and takes it when it is the first there and the lock is
-- free. `tries`: after so many, one a second, it gives up (0: never); `leaves`: then it leaves the
-- queue; `cleans`: it leaves it, too, where it hears no answer.

local take = script "take.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "a fair lock: a queue, whose first takes the lock",
  source = "amphp/redis#61 and redisson#5019 (who gives up, or fails, stays in the queue); scripts of our own",
  settings = { tries = 0, leaves = true, cleans = true },
}

local function queue_of(self)
  return self.key .. ":queue"
end

local function try(self)
  if not self.queued then
    redis("RPUSH", queue_of(self), self.token)
    self.queued = true
  end
  return take({ self.key, queue_of(self) }, { self.token, self.ttl_ms }) == 1
end

function Lock:acquire()
  self.token = unique()
  self.queued = false
  self.left = setting("tries")
  return retry(function()
    local answered, outcome = pcall(try, self)
    if answered and outcome then
      return true
    end
    local last = answered and self.left == 1
    self.left = math.max(self.left - 1, 0)
    if (last and setting("leaves")) or (not answered and setting("cleans")) then
      redis("LREM", queue_of(self), 0, self.token)
    end
    if not answered then
      error(outcome, 0)
    end
    return last and GIVE_UP
  end, 1000)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
