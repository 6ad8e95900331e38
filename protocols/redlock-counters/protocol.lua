-- Redlock that wants to fence: each node counts its grants, and the highest of the numbers is the token. No node knows
-- what the others have given.
local acquire = script "acquire.lua"
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock with a counter on each node; the highest is the fencing token",
  source = "failures catalogue J06",
  nodes  = 3,
  quorum = "majority",
  permanent = { "{key}:fence" },
}

-- "5 to 50 ms where the lease is 10 s": how long a client waits for a node.
local TIMEOUT_MS = 50

-- The replies of the nodes that answered, asked one after the other.
local function ask_all(self, ask)
  local replies = {}
  for node = 1, self.nodes do
    local answered, reply = pcall(ask, node)
    if answered and reply then replies[#replies + 1] = reply end
  end
  return replies
end

local function release_everywhere(self)
  ask_all(self, function(node)
    return unlock({ self.key }, { self.token }, { node = node, timeout_ms = TIMEOUT_MS })
  end)
end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local numbers = ask_all(self, function(node)
    local keys = { self.key, self.key .. ":fence" }
    return acquire(keys, { self.token, self.ttl_ms }, { node = node, timeout_ms = TIMEOUT_MS })
  end)
  if #numbers >= self.nodes // 2 + 1 and monotonic() - start < self.ttl_ms then
    return true, math.max(table.unpack(numbers))
  end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
