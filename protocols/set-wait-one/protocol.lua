-- As set-wait, but one acknowledgement is enough, of two replicas: it need not be of the one that becomes master.

local release = script "release.lua"
local WAIT_MS = 100

local Lock = protocol {
  title = "SET NX PX, WAIT for one replica of two; compare-and-delete in Lua",
  source = "failures catalogue F02; https://github.com/redisson/redisson/issues/5256",
  replicas = 2,
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  if redis("WAIT", 1, WAIT_MS) >= 1 then return true end
  release({ self.key }, { self.token })
  return false
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
