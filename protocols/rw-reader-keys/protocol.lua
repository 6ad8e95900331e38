-- A hash with the readers, and a key for each of them that says how long it may read. Who leaves gives
-- the hash the longest time that one of the others has. `both`: who renews the hash renews its own key.

local read = script "read.lua"
local write = script "write.lua"
local renew = script "renew.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and a writer: a hash, and a key for each reader",
  source = "redisson#1604 (what was renewed is the hash alone); scripts of our own",
  settings = { both = true },
}

local function get(self, lock)
  self.owner = unique()
  return retry(function()
    return lock({ self.key }, { self.owner, self.ttl_ms }) == 1
  end, 1000)
end

function Lock:acquire_shared()
  get(self, read)
  self.renewal = every(self.ttl_ms // 3, function()
    return renew({ self.key }, { self.owner, self.ttl_ms, setting("both") and 1 or 0 }) == 1
  end)
  return true
end

function Lock:acquire()
  return get(self, write)
end

function Lock:release()
  return release({ self.key }, { self.owner }) == 1
end

function Lock:release_shared()
  stop(self.renewal)
  return self:release()
end

return Lock
