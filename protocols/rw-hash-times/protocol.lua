-- The cluster's lock of the article, called as its Java code calls it: a hash with the fields read and
-- write, whose values are the milliseconds at which each was taken, by the clock of who took it.

local read = script "read.lua"
local write = script "write.lua"
local end_read = script "end-read.lua"
local end_write = script "end-write.lua"

local Lock = protocol {
  title = "readers and writers: a hash with the client's time of each",
  source = "Redis 分布式读写锁 (seed 003), sections 2. 集群版 and 3. 在 java 项目中的调用",
  -- LOCK_KEY_TIMEOUT, LOCK_READ_KEY_TIMEOUT, LOCK_WRITE_KEY_TIMEOUT, which every caller passes
  settings = { lock_timeout = 10 * 1000, read_timeout = 1 * 1000, write_timeout = 3 * 1000 },
}

-- getReadLock() and getWriteLock(): the time as the value if it has the lock, else nil.
local function get(lock, key)
  local value = tostring(millis(now()))
  local arguments =
    { setting("lock_timeout"), setting("read_timeout"), setting("write_timeout"), value }
  return lock({ key }, arguments) == 1 and value or nil
end

function Lock:acquire_shared()
  self.read_value = get(read, self.key)
  return self.read_value ~= nil
end

function Lock:release_shared()
  end_read({ self.key }, { self.read_value })
end

function Lock:acquire()
  self.write_value = get(write, self.key)
  return self.write_value ~= nil
end

function Lock:release()
  end_write({ self.key }, { self.write_value })
end

return Lock
