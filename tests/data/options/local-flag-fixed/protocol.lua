-- As local-flag, but the key belongs to the thread: what keeps threads apart is what keeps clients
-- apart, one request that looks and sets at once.

local release = script "release.lua"

local Lock = protocol {
  title = "the key is the thread's: SET NX PX; compare-and-delete",
  source = "local-flag, corrected",
}

function Lock:acquire()
  local mine = task_local()
  mine.token = unique()
  return redis("SET", self.key, mine.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return release({ self.key }, { task_local().token }) == 1
end

return Lock
