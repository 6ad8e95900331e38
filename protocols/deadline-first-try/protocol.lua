-- The client waits for the lock, then works until the lease ends by its own clock. It counts the
-- lease from its first attempt, so that after a long wait it believes to have lost what it has just
-- got.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, tried every 200 ms; a local deadline counted from the first attempt",
  source = "mike-marcacci/node-redlock#296",
}

function Lock:acquire()
  self.token = unique()
  self.start = monotonic()
  return retry(function()
    if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
      return false
    end
    local left_ms = math.max(100, self.ttl_ms - (monotonic() - self.start))
    self.start = nil
    self.deadline = every(left_ms, function()
      lost(self)
      return false
    end)
    return true
  end, 200)
end

function Lock:release()
  stop(self.deadline)
  return release({ self.key }, { self.token }) == 1
end

return Lock
