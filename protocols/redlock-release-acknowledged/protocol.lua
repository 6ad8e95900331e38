-- Redlock that, on failure and on release, unlocks only the nodes that answered OK.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock that unlocks only where OK came",
  source = "failures catalogue E09; https://github.com/antirez/redlock-rb/issues/3",
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

local function release_where_acknowledged(self)
  local freed = 0
  for node = 1, self.nodes do
    if self.acknowledged[node] then
      local answered, reply =
        pcall(unlock, { self.key }, { self.token }, { node = node, timeout_ms = TIMEOUT_MS })
      if answered and reply == 1 then freed = freed + 1 end
    end
  end
  return freed
end

function Lock:acquire()
  self.token = unique()
  self.acknowledged = {}
  local start = monotonic()
  local got = count(self, function(node)
    local reply = call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
    self.acknowledged[node] = reply == OK
    return reply
  end)
  if got >= self.nodes // 2 + 1 and monotonic() - start < self.ttl_ms then return true end
  release_where_acknowledged(self)
  return false
end

function Lock:release()
  release_where_acknowledged(self)
end

return Lock
