-- As rw-readers-first, but a writer that waits leaves a mark, for a little longer than until it asks
-- again, and no reader is let in beside it.

local read = script "read.lua"
local write = script "write.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and writers that ask again: a writer that waits keeps new readers out",
  source = "scripts of our own, for the remedy that the .NET library DistributedLock has (\"waiting writer\")",
}

local AGAIN_MS = 1000

local function get(self, lock)
  self.owner = self.owner or unique()
  return retry(function()
    local keys = { self.key, self.key .. ":writer" }
    return lock(keys, { self.owner, self.ttl_ms, 2 * AGAIN_MS }) == 1
  end, AGAIN_MS)
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
