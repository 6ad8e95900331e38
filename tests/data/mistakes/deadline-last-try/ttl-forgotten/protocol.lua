-- Mistake: SET without PX: the key never expires.
-- Otherwise as deadline-last-try. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, tried every 200 ms; a local deadline counted from the attempt that succeeded",
  source = "mike-marcacci/node-redlock#296",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    self.start = monotonic()
    if redis("SET", self.key, self.token, "NX") ~= OK then
      return false
    end
    local left_ms = math.max(1, self.ttl_ms - (monotonic() - self.start))
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
