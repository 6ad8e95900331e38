-- A fair lock: who waits stands in a list, and asks once a second; who has not asked for 5 s is removed
-- by whoever comes next. `client_time`: by the clock of that client, else by the node's.

local take = script "take.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "a fair lock: a queue from which is removed who no longer asks",
  source = "failures catalogue H16 (Redisson's fair lock is sent the client's time); scripts of our own",
  settings = { client_time = false },
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    local time = setting("client_time") and millis(now()) or ""
    local keys = { self.key, self.key .. ":queue", self.key .. ":ends" }
    return take(keys, { self.token, self.ttl_ms, 5000, time }) == 1
  end, 1000)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
