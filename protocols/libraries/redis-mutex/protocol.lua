-- redis-mutex 2.0.1 for node.js (node_redis 2): runWithMutex() with an intervalTime of the lease, a renewTime of half
-- of it, attempts for ever, one a second, and a maxTime that is not reached. lost() stands for process.exit(1), which
-- what has been written to the socket outlives, but not what waits for a connection.
local RETRY_MS = 1000
local VALUE = "mutex"

local Lock = protocol {
  title = "redis-mutex 2.0.1 (npm)",
  source = "https://www.npmjs.com/package/redis-mutex/v/2.0.1, src/index.js",
  shared_connection = true,
}

-- Each run of runWithMutex() has a table of its own, which what is under way may outlive. (It waits for no answer here:
-- release() does, for the search.)

local function renewed(self, run)
  run.renewing = true
  local ok, reply = pcall(redis, "SET", self.key, VALUE, "PX", self.ttl_ms, "XX")
  if not ok or reply ~= OK then
    run.terminated = true
    lost(self)
    if ok then pcall(redis, "DEL", self.key) end
    return false
  end
  run.renewing = false
  return not run.terminated
end

function Lock:acquire()
  return retry(function()
    if redis("SET", self.key, VALUE, "PX", self.ttl_ms, "NX") == OK then
      local run = { terminated = false, renewing = false }
      run.renewer = every(self.ttl_ms // 2, function() return renewed(self, run) end)
      self.run = run
      return true
    end
  end, RETRY_MS)
end

function Lock:release()
  local run = self.run
  self.run = nil
  if run.terminated then return end
  run.terminated = true
  if not run.renewing then stop(run.renewer) end
  pcall(redis, "DEL", self.key)
end

return Lock
