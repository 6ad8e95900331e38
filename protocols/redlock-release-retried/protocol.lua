-- Redlock whose release() is tried again until a majority says that it has unlocked: of an expired lock, none ever
-- does.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock whose release asks until a majority has unlocked",
  source = "failures catalogue E25; https://github.com/mike-marcacci/node-redlock/issues/313",
  nodes  = 3,
  quorum = "majority",
}

invariant("nobody asks again for what no node has", function(world)
  for _, client in ipairs(world.clients) do
    for _, lock in pairs(client.locks) do
      if (lock.in_vain or 0) > 1 then return false end
    end
  end
  return true
end)

-- "5 to 50 ms where the lease is 10 s": how long a client waits for a node.
local TIMEOUT_MS = 50

-- How many nodes did it, and how many answered, asked one after the other.
local function count(self, ask)
  local done, answers = 0, 0
  for node = 1, self.nodes do
    local answered, reply = pcall(ask, node)
    if answered then answers = answers + 1 end
    if answered and (reply == OK or reply == 1) then done = done + 1 end
  end
  return done, answers
end

local function majority(self) return self.nodes // 2 + 1 end

local function release_everywhere(self)
  local freed, answers = count(self, function(node)
    return unlock({ self.key }, { self.token }, { node = node, timeout_ms = TIMEOUT_MS })
  end)
  if answers == self.nodes and freed == 0 then self.in_vain = self.in_vain + 1 end
  return freed, answers
end

function Lock:acquire()
  self.token = unique()
  self.in_vain = 0
  local start = monotonic()
  local got = count(self, function(node)
    return call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end)
  if got >= majority(self) and monotonic() - start < self.ttl_ms then return true end
  release_everywhere(self)
  return false
end

-- Without a limit of tries (retryCount = -1).
function Lock:release()
  return retry(function() return release_everywhere(self) >= majority(self) end, 200)
end

return Lock
