-- The value is a random token; one command of Redis 8.4 compares it and deletes: there is no script to
-- load, to find or to change. What is left: the lease can end during the work. The page's steps:
--   SET the key to a random value NX PX 30000.   Release: DELEX the key IFEQ that value.

local Lock = protocol {
  title = "SET NX PX with a token; DELEX IFEQ",
  source = "redis.io, Distributed Locks with Redis: Correct Implementation with a Single Instance",
  server = "redis-8.4",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("DELEX", self.key, "IFEQ", self.token) == 1
end

return Lock
