-- As watched, but MULTI is forgotten: DEL runs at once, and the watch is for nothing. The lock of
-- redis-py 2.10 was released in this way: its pipeline sends at once what comes after WATCH.

local Lock = protocol {
  title = "SET NX PX with a token; WATCH, GET, compare, DEL",
  source = "redis-py 2.10, redis/lock.py, Lock.do_release",
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
