-- Mistake: the script deletes without comparing.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, compare-and-delete that is tried again; a token for each thread",
  source = "redis-py, docstring of Lock: the timeline for thread_local",
}

local function delete(self)
  return release({ self.key }, { task_local().token })
end

function Lock:acquire()
  local token = unique()
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  task_local().token = token
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
