-- Mistake: the lease in seconds is given as milliseconds.
-- Otherwise as shared-token. Seen by: --property mutual-exclusion

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
  if redis("SET", self.key, token, "NX", "PX", self.ttl_s) ~= OK then
    return false
  end
  self.token = token
  return true
end

function Lock:release()
  local ok, result = pcall(delete, self)
  if not ok then
    sleep(self.ttl_ms)
    result = delete(self)
  end
  return result == 1
end

return Lock
