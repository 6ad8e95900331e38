-- As java-class, and every call to Redis goes through the article's RedisUtil.execute, which runs
-- its caller again after a JedisConnectionException (a broken connection or a timeout) without
-- knowing whether the first time was executed.

local unlock_script = script "release.lua"

local Lock = protocol {
  title = "Java class, its calls through RedisUtil.execute: run again after a connection error",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section Java 实现代码, class RedisUtil",
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

-- RedisUtil.execute: after a connection error the caller runs once more; an error of the second
-- time gets out.
local function execute(caller, ...)
  local ok, result = pcall(caller, ...)
  if ok then
    return result
  end
  if result.kind == "redis" then
    error(result, 0)
  end
  return caller(...)
end

local function lock0(key, value, seconds)
  local ok, reply = pcall(execute, redis, "SET", key, value, "EX", seconds, "NX")
  return ok and reply == OK
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
      pcall(execute, unlock_script, { key }, { value })
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
