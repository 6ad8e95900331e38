-- As pxat-waiting, but the node counts: it is told how long the lock may live, not until when.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, asked for every 500 ms",
  source = "failures catalogue E28 (fixed)",
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
