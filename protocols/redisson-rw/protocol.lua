-- Redisson's RReadWriteLock, of 3.44 to 4.3: a hash with `mode` and a count for each owner,
-- `id:thread` as a reader and `id:thread:write` as a writer, and for each time that a reader has
-- entered a key that says how long that counts. Who is refused hears what is left of the hash,
-- subscribes, tries again, and waits for a message for as long as that at most. Without a lease
-- time (`watchdog`) both modes are renewed, each by a task of its own, as long as some thread of
-- the process is counted for it.
-- Repairs: a request is sent once (Redisson sends an unlock again, and knows it by a key of its
-- own). The renewal of a lock counts from when it was taken (Redisson has one timer for all locks).
-- The server is one whose clock stands still in a script: in an older one the hash may end a ms
-- later than a reader's own key.
-- `cancels_both`: who gives a reading back is counted off for the writing, too (RedissonReadLock
-- does so).
-- `own_only`: a reader renews its own keys, and not those of all readers (since 4.4.0,
-- redisson#7098).
-- `one_task`: whichever mode was taken first is renewed (until 3.43).

local read = script "read.lua"
local write = script "write.lua"
local renew_read = script "renew-read.lua"
local renew_write = script "renew-write.lua"
local unlock_read = script "unlock-read.lua"
local unlock_write = script "unlock-write.lua"

local UNLOCKED, WRITER_LEFT = 0, 1

local Lock = protocol {
  title = "Redisson's readers and writer: a hash, a key for each reading, waiting for a message",
  source = "https://github.com/redisson/redisson: RedissonReadLock, RedissonWriteLock, renewal/",
  server = "redis-7.2",
  settings = { watchdog = true, cancels_both = true, own_only = false, one_task = false },
}

local function reader(self)
  self.process.id = self.process.id or unique()
  return self.process.id .. ":" .. task_id()
end

local function writer(self)
  return reader(self) .. ":write"
end

local function channel(self)
  return "redisson_rwlock:{" .. self.key .. "}"
end

--- What the own keys of all readers begin with.
local function prefix(self)
  return "{" .. self.key .. "}"
end

--- What this thread's own keys begin with.
local function timeouts(self)
  return prefix(self) .. ":" .. reader(self) .. ":rwlock_timeout"
end

local function renewed_as_reader(self, me)
  local own = setting("own_only") and 1 or 0
  return renew_read({ self.key, prefix(self) }, { self.ttl_ms, me, own }) == 1
end

local function renewed_as_writer(self, me)
  local done = renew_write({ self.key }, { self.ttl_ms, me .. ":write" }) == 1
  return done or setting("one_task") and renewed_as_reader(self, me)
end

--- Counts this thread among those for whom `mode` is renewed. The task asks for the first of them,
--- and goes on after an error.
local function begin_renewal(self, mode, renewed)
  mode = setting("one_task") and "any" or mode
  self.renewals = self.renewals or {}
  local entry = self.renewals[mode]
  if entry == nil then
    entry = { threads = {} }
    self.renewals[mode] = entry
    entry.task = every(self.ttl_ms // 3, function()
      local ok, done = pcall(renewed, self, entry.threads[1])
      if ok and not done then
        self.renewals[mode] = nil
      end
      return not ok or done
    end)
  end
  table.insert(entry.threads, reader(self))
end

local function end_renewal(self, mode)
  mode = setting("one_task") and "any" or mode
  local entry = self.renewals and self.renewals[mode]
  if entry == nil then
    return
  end
  for i, thread in ipairs(entry.threads) do
    if thread == reader(self) then
      table.remove(entry.threads, i)
      break
    end
  end
  if #entry.threads == 0 then
    stop(entry.task)
    self.renewals[mode] = nil
  end
end

--- nil if this thread reads now, else what is left of the hash, in ms.
function Lock:try_read()
  local me = reader(self)
  local left_ms = read({ self.key, timeouts(self) }, { self.ttl_ms, me, writer(self) })
  if left_ms == nil and setting("watchdog") then
    begin_renewal(self, "read", renewed_as_reader)
  end
  return left_ms
end

--- nil if this thread writes now, else what is left of the hash, in ms.
function Lock:try_write()
  local left_ms = write({ self.key }, { self.ttl_ms, writer(self) })
  if left_ms == nil and setting("watchdog") then
    begin_renewal(self, "write", renewed_as_writer)
  end
  return left_ms
end

local function get(self, try)
  if try(self) == nil then
    return true
  end
  local latch = semaphore(0)
  local heard = listen(channel(self), function()
    latch:release()
  end)
  return retry(function()
    local left_ms = try(self)
    if left_ms == nil then
      stop(heard)
      return true
    end
    latch:acquire(left_ms >= 0 and left_ms or nil)
  end)
end

function Lock:acquire_shared()
  return get(self, self.try_read)
end

function Lock:acquire()
  return get(self, self.try_write)
end

function Lock:release_shared()
  local ok, reply = pcall(function()
    local keys = { self.key, channel(self), timeouts(self), prefix(self) }
    return unlock_read(keys, { UNLOCKED, reader(self) })
  end)
  if setting("cancels_both") and not setting("one_task") then
    end_renewal(self, "write")
  end
  end_renewal(self, "read")
  if not ok then
    error(reply, 0)
  end
  return reply ~= nil
end

function Lock:release()
  local ok, reply = pcall(function()
    local keys = { self.key, channel(self) }
    return unlock_write(keys, { WRITER_LEFT, self.ttl_ms, writer(self) })
  end)
  end_renewal(self, "write")
  if not ok then
    error(reply, 0)
  end
  return reply ~= nil
end

return Lock
