-- A hash with a count for each owner, which waits until it has the lock, and renews it while it has
-- it. Who reads and asks to write waits for its own reading to end.

local read = script "read.lua"
local write = script "write.lua"
local renew = script "renew.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and writers that wait, with a renewal",
  source = "scripts of our own, for what redisson#4796 reports: a thread that reads and asks to write waits for itself",
}

local function get(self, lock)
  self.owner = self.owner or unique()
  return retry(function()
    if lock({ self.key }, { self.owner, self.ttl_ms }) == 0 then
      return false
    end
    self.renewal = self.renewal or every(self.ttl_ms // 3, function()
      return renew({ self.key }, { self.owner, self.ttl_ms }) == 1
    end)
    return true
  end, 1000)
end

function Lock:acquire_shared()
  return get(self, read)
end

function Lock:acquire()
  return get(self, write)
end

function Lock:release()
  if self.renewal then
    stop(self.renewal)
    self.renewal = nil
  end
  return release({ self.key }, { self.owner }) == 1
end

Lock.release_shared = Lock.release

return Lock
