-- Mistake: SET without NX: whoever comes sets the key.
-- Otherwise as set-nx-exat. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX EXAT by the client's clock; compare-and-delete in Lua",
  source = "分布式锁-By Redis (seed 002), section 不可重入锁",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "EXAT", millis(now()) // 1000 + self.ttl_s) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
