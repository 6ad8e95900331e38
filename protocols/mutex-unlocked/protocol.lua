-- As mutex-left, but the mutex is unlocked whatever Redis says: a finally block.

local release = script "release.lua"

local Lock = protocol {
  title = "a mutex, then SET NX PX; an error unlocks the mutex",
  source = "failures catalogue K05 (fixed); https://github.com/spring-projects/spring-integration/pull/1890",
}

-- The reply of `ask`, or its error, once the mutex is unlocked.
local function finally_unlock(self, answered, reply)
  self.mutex:unlock()
  if not answered then error(reply, 0) end
  return reply
end

function Lock:acquire()
  self.mutex = self.mutex or mutex()
  self.mutex:lock()
  local token = unique()
  local answered, reply = pcall(redis, "SET", self.key, token, "NX", "PX", self.ttl_ms)
  if answered and reply == OK then
    task_local().token = token
    return true
  end
  finally_unlock(self, answered, reply)
  return false
end

function Lock:release()
  return finally_unlock(self, pcall(release, { self.key }, { task_local().token })) == 1
end

return Lock
