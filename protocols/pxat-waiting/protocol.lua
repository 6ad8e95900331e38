-- The client works out by its own clock when the lock ends, and asks for it every 500 ms until it has it.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PXAT by the client's clock, asked for every 500 ms",
  source = "failures catalogue E28; https://github.com/redis/rueidis (rueidislock)",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    return redis("SET", self.key, self.token, "NX", "PXAT", millis(now()) + self.ttl_ms) == OK
  end, 500)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
