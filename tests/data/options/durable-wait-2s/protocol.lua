-- As durable-wait-1s, but it waits for two seconds: while an fsync is under way on a slow disk,
-- Redis puts the next one off, so that up to two seconds of writes are only in memory.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, two seconds for the disk, GET; compare-and-delete",
  source = "Redis persistence (redis.io), append-only file; redis.conf, appendfsync",
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  sleep(2001)
  return redis("GET", self.key) == self.token
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
