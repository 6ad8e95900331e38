-- redis-py 4.3.4, its Lock with a timeout, blocking for ever; the token is the thread's, and remembered once the lock
-- is acquired. (EVAL stands for SCRIPT LOAD and EVALSHA, which follow NOSCRIPT.)
local release = script("release.lua", { sha = true })

local RETRY_MS = 100

local Lock = protocol {
  title = "redis-py 4.3.4 (PyPI), Lock",
  source = "https://pypi.org/project/redis/4.3.4, redis/lock.py",
}

function Lock:acquire()
  local mine = task_local()
  mine.trying = unique()  -- one for all tries of a call
  return retry(function()
    if redis("SET", self.key, mine.trying, "PX", self.ttl_ms, "NX") == OK then
      mine.token, mine.trying = mine.trying, nil
      return true
    end
  end, RETRY_MS)
end

function Lock:release()
  local mine = task_local()
  local expected = mine.token
  if not expected then error("cannot release an unlocked lock") end
  mine.token = nil
  if release({ self.key }, { expected }) ~= 1 then error("a lock that is no longer owned") end
end

return Lock
