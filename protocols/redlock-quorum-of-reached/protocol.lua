-- Redlock that takes its quorum from the nodes that it could reach, not from all that there are.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock with a quorum of the nodes that it reached",
  source = "failures catalogue E12; https://github.com/SPSCommerce/redlock-py/pull/6",
  nodes  = 3,
  quorum = "majority",
}

-- "5 to 50 ms where the lease is 10 s": how long a client waits for a node.
local TIMEOUT_MS = 50

-- How many nodes did it, asked one after the other.
local function count(self, ask)
  local done = 0
  for node = 1, self.nodes do
    local answered, reply = pcall(ask, node)
    if answered and (reply == OK or reply == 1) then done = done + 1 end
  end
  return done
end

local function release_everywhere(self)
  return count(self, function(node)
    return unlock({ self.key }, { self.token }, { node = node, timeout_ms = TIMEOUT_MS })
  end)
end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local reached = 0
  local got = count(self, function(node)
    local reply = call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
    reached = reached + 1
    return reply
  end)
  if got >= reached // 2 + 1 and monotonic() - start < self.ttl_ms then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
