-- Mistake: the release says true, whatever the script returned.
-- Otherwise as shared-token. Seen by: --fault pause=1 --property honest-result

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
  if not ok then
    sleep(self.ttl_ms)
    result = delete(self)
  end
  return true
end

return Lock
