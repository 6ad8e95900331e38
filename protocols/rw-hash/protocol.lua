-- A hash says how it is locked, and counts for each owner, under a token of its own, how often. A
-- reader lengthens the lease of all where its own is longer, and never shortens it. Who reads and
-- asks to write is refused, and so does not wait for itself.

local read = script "read.lua"
local write = script "write.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and writers: a hash with a count for each owner",
  source = "the mended form of Redis 分布式读写锁 (seed 003); scripts of our own",
}

function Lock:acquire_shared()
  self.owner = self.owner or unique()
  return read({ self.key }, { self.owner, self.ttl_ms }) == 1
end

function Lock:acquire()
  self.owner = self.owner or unique()
  return write({ self.key }, { self.owner, self.ttl_ms }) == 1
end

function Lock:release()
  return release({ self.key }, { self.owner }) == 1
end

Lock.release_shared = Lock.release

return Lock
