-- As redlock-extend, but the extension also sets the key where none is: a node that has forgotten is voted for again.
local unlock = script "unlock.lua"
local extend = script "extend.lua"

local Lock = protocol {
  title  = "Redlock with an extension that sets a missing key",
  source = "failures catalogue E16; https://github.com/go-redsync/redsync/pull/149",
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

function Lock:extend()
  local extended = count(self, function(node)
    return extend({ self.key }, { self.token, self.ttl_ms }, { node = node, timeout_ms = TIMEOUT_MS })
  end)
  return extended >= self.nodes // 2 + 1
end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local got = count(self, function(node)
    return call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= self.nodes // 2 + 1 and monotonic() - start < self.ttl_ms then
    self.keeper = every(self.ttl_ms // 2, function()
      if self:extend() then return true end
      lost(self)
      return false
    end)
    return true
  end
  release_everywhere(self)
  return false
end

function Lock:release()
  stop(self.keeper)
  release_everywhere(self)
end

return Lock
