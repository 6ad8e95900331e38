-- Redlock as the article tells it: the current time, the nodes one after the other with a short
-- timeout each, a majority within the lease; on failure, and on release, all nodes are unlocked.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock: a majority of independent nodes within the lease",
  source = "Redis系列(十三)应用之分布式锁 (seed 000_53ff98651b4aff34.txt), RedLock",
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
  local start = now()
  local got = count(self, function(node)
    return call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= self.nodes // 2 + 1 and now() - start < self.ttl_ms then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
