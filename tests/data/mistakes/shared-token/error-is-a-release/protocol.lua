-- Mistake: an error is taken for a release: the key is still there.
-- Otherwise as shared-token. Seen by: --fault lose=1 --property reentrancy

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, compare-and-delete that is tried again; a token in a field that threads share",
  source = "redis-py, docstring of Lock: the timeline for thread_local",
}

local function delete(self)
  return release({ self.key }, { self.token })
end

function Lock:acquire()
  local token = unique()
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.token = token
  return true
end

function Lock:release()
  local ok, result = pcall(delete, self)
  return not ok or result == 1
end

return Lock
