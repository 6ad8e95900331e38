-- As java-class, with lock(key, curValue, seconds, true): a task renews the lease. As written: 4
-- rounds, the first at once, each followed by a sleep of the whole lease; one flag for all keys;
-- what the server answers is not looked at.

local unlock_script = script "release.lua"
local expire_script = script "renew.lua"
local PERSISTENT_EXPIRE_TIMES = 4

local Lock = protocol {
  title = "Java class with its renewal task: 4 rounds, a whole lease apart, one flag for all keys",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section Java 实现代码",
}

-- A synchronized method: the monitor is given back however the body ends.
local function synchronized(self, body)
  local class = self.process
  local monitor = mutex(class)
  monitor:lock()
  local ok, result = pcall(body)
  monitor:unlock()
  if not ok then
    error(result, 0)
  end
  return result
end

local function current_refs()
  local thread = task_local()
  thread.refs = thread.refs or {}
  return thread.refs
end

local function lock0(key, value, seconds)
  local ok, reply = pcall(redis, "SET", key, value, "EX", seconds, "NX")
  return ok and reply == OK
end

-- The task of openPersistentExpire(). An error is logged, and the loop goes on at once; retry() is
-- the loop.
local function open_persistent_expire(class, key, value, seconds)
  spawn(function()
    local i = 0
    return retry(function()
      if i >= PERSISTENT_EXPIRE_TIMES or not class.persistent_expire then
        return true
      end
      if pcall(expire_script, { key }, { value, seconds }) then
        i = i + 1
        sleep(seconds * 1000)
      end
      return false
    end)
  end)
end

local function lock(self, key, value, seconds)
  return synchronized(self, function()
    local counts = current_refs()
    if counts[key] then
      counts[key] = counts[key] + 1
      return true
    end
    if not lock0(key, value, seconds) then
      return false
    end
    counts[key] = 1
    self.process.persistent_expire = true
    open_persistent_expire(self.process, key, value, seconds)
    return true
  end)
end

local function unlock(self, key, value)
  return synchronized(self, function()
    local counts = current_refs()
    if not counts[key] then
      return false
    end
    counts[key] = counts[key] - 1
    if counts[key] == 0 then
      counts[key] = nil
      self.process.persistent_expire = false
      pcall(unlock_script, { key }, { value })
    end
    return true
  end)
end

-- The caller's part: one UUID from its outermost lock() to its outermost unLock().
function Lock:acquire()
  local thread = task_local()
  if not current_refs()[self.key] then
    thread[self.key] = unique()
  end
  return lock(self, self.key, thread[self.key], self.ttl_s)
end

function Lock:release()
  return unlock(self, self.key, task_local()[self.key])
end

return Lock
