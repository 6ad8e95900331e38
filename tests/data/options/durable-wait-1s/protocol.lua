-- The node writes its append-only file to the disk once a second. So that no power loss can take a
-- lock from its holder, the client waits for a second before it believes that it holds it, and
-- looks whether it still does.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, a second for the disk, GET; compare-and-delete",
  source = "Distributed Locks with Redis (redis.io), performance, crash recovery and fsync",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  sleep(1001)
  return redis("GET", self.key) == self.token
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
