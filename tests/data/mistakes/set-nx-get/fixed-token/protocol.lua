-- Mistake: every client has the same token.
-- Otherwise as set-nx-get. Seen by: --property foreign-release --fault pause=1

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX GET; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = "1"
  return redis("SET", self.key, self.token, "PX", self.ttl_ms, "NX", "GET") == nil
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
