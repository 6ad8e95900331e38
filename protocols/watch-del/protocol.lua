-- The lock is watched, read, and deleted without MULTI: DEL runs at once, and the watch is for
-- nothing. After WATCH the library's pipeline sends every command at once, until multi() is called;
-- the release never calls it.
--   WATCH the key; GET it; own: DEL; UNWATCH.

local Lock = protocol {
  title = "SET NX PX with a token; WATCH, GET, compare, DEL",
  source = "redis-py 2.10, redis/lock.py, Lock.do_release; pull request 1031 (2018) describes it",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  redis("WATCH", self.key)
  local mine = redis("GET", self.key) == self.token
  if mine then mine = redis("DEL", self.key) == 1 end
  redis("UNWATCH")
  return mine
end

return Lock
