-- As redlock-no-timeout, but what is left of the lease is worked out behind the last answer: no slow node matters then.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock without timeouts; lease - elapsed - drift is checked",
  source = "failures catalogue E05 (fixed)",
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

-- 1 % of the lease, and 2 ms for expiries that are precise to 1 ms.
local function drift_ms(self) return self.ttl_ms // 100 + 2 end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local got = count(self, function(node)
    return call { node = node, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= self.nodes // 2 + 1 and self.ttl_ms - (monotonic() - start) - drift_ms(self) > 0 then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
