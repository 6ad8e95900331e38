-- Redlock that waits for each node as long as it takes, and never looks at the clock: what it reports may be over.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock without timeouts and without the check of the time elapsed",
  source = "failures catalogue E05; https://github.com/mike-marcacci/node-redlock/pull/369",
  nodes  = 3,
  quorum = "majority",
}

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
    return unlock({ self.key }, { self.token }, { node = node })
  end)
end

function Lock:acquire()
  self.token = unique()
  local got = count(self, function(node)
    return call { node = node, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= self.nodes // 2 + 1 then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
