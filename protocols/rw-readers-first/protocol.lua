-- A hash with a count for each owner, and clients that ask again every second. A reader is let in
-- wherever others read already, so a writer may wait as long as there are readers.

local read = script "read.lua"
local write = script "write.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and writers that ask again: readers first",
  source = "Redis 分布式读写锁 (seed 003), whose readers are let in where others read; redisson#3573",
}

local function get(self, lock)
  self.owner = self.owner or unique()
  return retry(function()
    return lock({ self.key }, { self.owner, self.ttl_ms }) == 1
  end, 1000)
end

function Lock:acquire_shared()
  return get(self, read)
end

function Lock:acquire()
  return get(self, write)
end

function Lock:release()
  return release({ self.key }, { self.owner }) == 1
end

Lock.release_shared = Lock.release

return Lock
