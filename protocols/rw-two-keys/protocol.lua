-- The single-node lock of the article: a key says that somebody reads, another one that somebody
-- writes. It prints no script that unlocks; of its lock it says that reader A may delete what reader
-- B has set, so a DEL of one's own key.

local read = script "read.lua"
local write = script "write.lua"

local Lock = protocol {
  title = "readers and writers: one key each, without an owner",
  source = "Redis 分布式读写锁 (seed 003), section 1. 单机版",
  leases = { "{key}:read", "{key}:write" },
}

local function keys_of(self)
  return { self.key .. ":read", self.key .. ":write" }
end

function Lock:acquire_shared()
  return read(keys_of(self), { self.ttl_s }) == 1
end

function Lock:release_shared()
  return redis("DEL", self.key .. ":read") == 1
end

function Lock:acquire()
  return write(keys_of(self), { self.ttl_s }) == 1
end

function Lock:release()
  return redis("DEL", self.key .. ":write") == 1
end

return Lock
