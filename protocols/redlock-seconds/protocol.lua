-- Redlock that measures the time elapsed with time(): whole seconds of the wall clock. Up to 999 ms are lost.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock whose time elapsed is a difference of whole seconds",
  source = "failures catalogue E21",
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

-- time(NULL).
local function seconds() return millis(now()) // 1000 end

function Lock:acquire()
  self.token = unique()
  local start = seconds()
  local got = count(self, function(node)
    return call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= self.nodes // 2 + 1 and (seconds() - start) * 1000 < self.ttl_ms then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
