-- As set-token-lua, on a master with replicas: who has the key asks whether every replica has it, too, and gives it
-- back if not. WAIT counts acknowledgements of what this connection has written; it undoes nothing.

local release = script "release.lua"
local WAIT_MS = 100

local Lock = protocol {
  title = "SET NX PX, WAIT for every replica; compare-and-delete in Lua",
  source = "https://redis.io/docs/latest/commands/wait/; failures catalogue F02 (fixed)",
  replicas = 1,
}

function Lock:acquire()
  self.token = unique()
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  if redis("WAIT", self.replicas, WAIT_MS) >= self.replicas then return true end
  release({ self.key }, { self.token })
  return false
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
