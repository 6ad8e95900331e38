-- As redlock-any-answer, but a node counts only if its script has found the token.
local unlock = script "unlock.lua"
local extend = script "extend.lua"

local Lock = protocol {
  title  = "Redlock in which 1 counts as extended, or unlocked",
  source = "failures catalogue E17 (fixed); https://github.com/go-redsync/redsync/pull/61",
  nodes  = 3,
  quorum = "majority",
}

-- "5 to 50 ms where the lease is 10 s": how long a client waits for a node.
local TIMEOUT_MS = 50

-- On how many nodes it came about, asked one after the other.
local function count(self, ask, came_about)
  local done = 0
  for node = 1, self.nodes do
    local answered, reply = pcall(ask, node)
    if answered and came_about(reply) then done = done + 1 end
  end
  return done
end

local function majority(self) return self.nodes // 2 + 1 end

local function is_ok(reply) return reply == OK end

-- 1: the token was there. 0: it was not, and nothing was done.
local function is_done(reply) return reply == 1 end

local function release_everywhere(self)
  return count(self, function(node)
    return unlock({ self.key }, { self.token }, { node = node, timeout_ms = TIMEOUT_MS })
  end, is_done)
end

local function extend_everywhere(self)
  return count(self, function(node)
    return extend({ self.key }, { self.token, self.ttl_ms }, { node = node, timeout_ms = TIMEOUT_MS })
  end, is_done)
end

-- lock() of who is inside is extend(); the unlock() that belongs to it asks nobody.
function Lock:acquire()
  local depths = task_local()
  local depth = depths[self.key] or 0
  if depth > 0 then
    if extend_everywhere(self) < majority(self) then return false end
    depths[self.key] = depth + 1
    return true
  end
  self.token = unique()
  local start = monotonic()
  local got = count(self, function(node)
    return call { node = node, timeout_ms = TIMEOUT_MS, "SET", self.key, self.token, "NX", "PX", self.ttl_ms }
  end, is_ok)
  if got >= majority(self) and monotonic() - start < self.ttl_ms then
    depths[self.key] = 1
    return true
  end
  release_everywhere(self)
  return false
end

function Lock:release()
  local depths = task_local()
  depths[self.key] = depths[self.key] - 1
  if depths[self.key] > 0 then return true end
  return release_everywhere(self) >= majority(self)
end

return Lock
