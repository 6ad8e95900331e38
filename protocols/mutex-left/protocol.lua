-- A mutex of the process in front of the key: its threads wait there, and one asks Redis. An error of Redis leaves the
-- mutex locked.

local release = script "release.lua"

local Lock = protocol {
  title = "a mutex, then SET NX PX; an error leaves the mutex locked",
  source = "failures catalogue K05; https://github.com/spring-projects/spring-integration/issues/1888",
}

function Lock:acquire()
  self.mutex = self.mutex or mutex()
  self.mutex:lock()
  local token = unique()
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) == OK then
    task_local().token = token
    return true
  end
  self.mutex:unlock()
  return false
end

function Lock:release()
  local freed = release({ self.key }, { task_local().token }) == 1
  self.mutex:unlock()
  return freed
end

return Lock
