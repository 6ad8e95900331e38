-- Mistake: nobody watches the deadline.
-- Otherwise as deadline-first-try. Seen by: --work-ms 15000 --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, tried every 200 ms; a local deadline counted from the first attempt",
  source = "mike-marcacci/node-redlock#296",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
      return false
    end
    return true
  end, 200)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
