-- The script is loaded where the lock is taken, and then called by its SHA-1 alone: a server that has been restarted,
-- or a replica that has been promoted, does not know it.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; EVALSHA without a way back to EVAL",
  source = "failures catalogue F06; https://github.com/leandromoreira/redlock-rb/issues/27",
}

function Lock:acquire()
  self.token = unique()
  redis("SCRIPT", "LOAD", release.source)
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("EVALSHA", release.sha1, 1, self.key, self.token) == 1
end

return Lock
