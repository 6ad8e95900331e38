-- As px-waiting, but the script is loaded where the lock is asked for, and then called by its SHA-1 alone: the node
-- that a slot has migrated to does not know it.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, asked for every 500 ms; EVALSHA without a way back to EVAL",
  source = "failures catalogue F06; https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ " ..
    "(scripts are not part of a slot)",
}

function Lock:acquire()
  self.token = unique()
  redis("SCRIPT", "LOAD", release.source)
  return retry(function()
    return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
  end, 500)
end

function Lock:release()
  return redis("EVALSHA", release.sha1, 1, self.key, self.token) == 1
end

return Lock
