-- Mistake: SET without NX overwrites.
-- Otherwise as deadline-last-try. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, tried every 200 ms; a local deadline counted from the attempt that succeeded",
  source = "mike-marcacci/node-redlock#296",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    self.start = monotonic()
    if redis("SET", self.key, self.token, "PX", self.ttl_ms) ~= OK then
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
