-- release() swallows every error. After a failover it may still talk to the master of before, which is a replica now
-- and says READONLY: the key stays for its lease, and the caller is told that the lock is free.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; errors while releasing are swallowed",
  source = "failures catalogue F05; https://github.com/redisson/redisson/issues/4908",
  replicas = 1,
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  local answered, freed = pcall(release, { self.key }, { self.token })
  return not answered or freed == 1
end

return Lock
