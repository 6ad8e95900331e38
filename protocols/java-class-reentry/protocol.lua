-- As java-class, corrected where its author did not look: a re-entry asks isLocking() whether the
-- lock is still there, and unLock() says what the server said. An error is no longer turned into
-- false: the caller learns that the outcome is unknown.

local unlock_script = script "release.lua"

local Lock = protocol {
  title = "Java class, corrected: re-entry asks isLocking(), unLock() is honest",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section Java 实现代码; the corrections are lockstep's own",
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
  return redis("SET", key, value, "EX", seconds, "NX") == OK
end

local function is_locking(key, value)
  return redis("GET", key) == value
end

local function lock(self, key, value, seconds)
  return synchronized(self, function()
    local counts = current_refs()
    if counts[key] then
      if not is_locking(key, value) then
        return false
      end
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
    if counts[key] > 0 then
      return is_locking(key, value)
    end
    counts[key] = nil
    return unlock_script({ key }, { value }) == 1
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
