-- As java-class-renewal, with the renewal corrected: every third of the lease, a handle of its own
-- for each lock, an error is tried again, and the holder is told when the server says that the lock
-- is not its own or when no renewal came through in time. unLock() ends the renewal before it
-- releases and says what the server said; re-entry asks whether the lock has been lost.

local unlock_script = script "release.lua"
local expire_script = script "renew.lua"

local Lock = protocol {
  title = "Java class, its renewal corrected: every lease/3, per lock, stops and tells the holder when it is lost",
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

-- The deadline of a lease, counted on this host from before its request was sent.
local function deadline(self, hold)
  return every(self.ttl_ms, function()
    hold.lost = true
    lost(self)
    return false
  end)
end

local function persistent_expire(self, hold)
  return every(self.ttl_ms // 3, function()
    hold.next_deadline = deadline(self, hold)
    local ok, renewed = pcall(expire_script, { self.key }, { hold.value, self.ttl_s })
    local mine = ok and renewed == 1
    stop(mine and hold.deadline or hold.next_deadline)
    if mine then
      hold.deadline = hold.next_deadline
    end
    hold.next_deadline = nil
    if ok and not mine then
      hold.lost = true
      lost(self)
    end
    return mine or not ok
  end)
end

-- Ends the tasks of a lock, then deletes it if it is still its own.
local function unlock0(self, hold)
  for _, name in ipairs { "renewal", "deadline", "next_deadline" } do
    if hold[name] then
      stop(hold[name])
    end
  end
  return unlock_script({ self.key }, { hold.value }) == 1
end

local function lock0(self, hold)
  hold.deadline = deadline(self, hold)
  local ok, reply = pcall(redis, "SET", self.key, hold.value, "EX", self.ttl_s, "NX")
  if ok and reply == OK and not hold.lost then
    return true
  end
  unlock0(self, hold)
  return false
end

-- The caller's value is one UUID from its outermost lock() to its outermost unLock().
function Lock:acquire()
  return synchronized(self, function()
    local refs = current_refs()
    local hold = refs[self.key]
    if hold then
      hold.count = hold.count + (hold.lost and 0 or 1)
      return not hold.lost
    end
    hold = { value = unique(), count = 1 }
    if not lock0(self, hold) then
      return false
    end
    refs[self.key] = hold
    hold.renewal = persistent_expire(self, hold)
    return true
  end)
end

function Lock:release()
  return synchronized(self, function()
    local refs = current_refs()
    local hold = refs[self.key]
    hold.count = hold.count - 1
    if hold.count > 0 then
      return not hold.lost
    end
    refs[self.key] = nil
    return unlock0(self, hold)
  end)
end

return Lock
