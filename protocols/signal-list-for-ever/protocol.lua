-- As signal-list, for whom no time is too long: BLPOP waits for a signal that a holder who dies never leaves.

local unlock = script "unlock.lua"

local Lock = protocol {
  title = "as signal-list, with a BLPOP that has no timeout",
  source = "failures catalogue H06, H07; https://redis.io/docs/latest/commands/blpop/ (a timeout of 0)",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK then
      return true
    end
    redis("BLPOP", "signal:" .. self.key, 0)
  end)
end

function Lock:release()
  return unlock({ self.key, "signal:" .. self.key }, { self.token, self.ttl_ms }) == 1
end

return Lock
