-- As px-waiting-evalsha, but a node that does not know the script is sent it.

local release = script("release.lua", { sha = true })

local Lock = protocol {
  title = "SET NX PX, asked for every 500 ms; EVALSHA, and EVAL after NOSCRIPT",
  source = "failures catalogue F06 (fixed); https://redis.io/docs/latest/commands/evalsha/",
}

function Lock:acquire()
  self.token = unique()
  return retry(function()
    return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
  end, 500)
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
