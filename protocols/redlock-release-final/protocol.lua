-- As redlock-release-retried, but only nodes that do not answer are a reason to ask again: one that has nothing has
-- said so.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock whose release asks until a majority has answered",
  source = "failures catalogue E25 (fixed); https://github.com/mike-marcacci/node-redlock/pull/362",
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

local TRIES = 10

-- That there is nothing to unlock is an answer.
function Lock:release()
  for _ = 1, TRIES do
    local freed, answers = release_everywhere(self)
    if answers >= majority(self) then return freed >= majority(self) end
    sleep(200)
  end
  return false
end

return Lock
