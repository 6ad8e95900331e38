-- Redlock that asks all nodes at once, as node-redlock and Redisson do.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock that asks all nodes at once",
  source = "https://github.com/mike-marcacci/node-redlock",
  nodes  = 3,
  quorum = "majority",
}

-- "5 to 50 ms where the lease is 10 s": how long a client waits for a node.
local TIMEOUT_MS = 50

-- How many nodes did it, asked at once.
local function count(request)
  local done = 0
  for _, answer in ipairs(call_all(request)) do
    if answer.ok and (answer.reply == OK or answer.reply == 1) then done = done + 1 end
  end
  return done
end

local function release_everywhere(self)
  return count { timeout_ms = TIMEOUT_MS, "EVAL", unlock.source, 1, self.key, self.token }
end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local got = count { timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  local validity = self.ttl_ms - (monotonic() - start) - (self.ttl_ms // 100 + 2)
  if got >= self.nodes // 2 + 1 and validity > 0 then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
