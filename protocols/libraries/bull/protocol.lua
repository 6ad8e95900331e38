-- bull 4.16.5 for node.js (ioredis): the lock of one job, as workers with a lockDuration of the lease take, renew and
-- leave it. Whoever waits adds the job again, which does nothing while it is there, and looks every 5 s for stalled
-- jobs and for one to do (instead of BRPOPLPUSH, and by a timer of its own). Timestamps are left as 0. (A connection
-- error stands for what ioredis gives up, after sending it again by itself.)
local stalled, active = script "stalled.lua", script "active.lua"
local extend, finished = script "extend.lua", script "finished.lua"

local LOOK_MS, STALLED_MS, STALLED_TIMES = 5000, 4000, 1
local KEEP_NONE = "\xde\x00\x01\xa5count\x00"  -- { count = 0 }, as msgpack: removeOnComplete
local PREFIX = "bull:q:"
-- Ours, for addJob().
local ADD = 'if redis.call("HSETNX", KEYS[1], "opts", "{}") == 1 then redis.call("LPUSH", KEYS[2], ARGV[1]) end'

local Lock = protocol {
  title = "bull 4.16.5 (npm), the lock of a job",
  source = "https://www.npmjs.com/package/bull/v/4.16.5, lib/queue.js, lib/scripts.js, lib/commands",
  leases = { PREFIX .. "{key}:lock" },
  shared_connection = true,
}

local function q(name)
  return PREFIX .. name
end

-- After the first that fails, by whatever, nothing extends it any more; an event says so, if it was an error.
local function extended(self)
  local keys = { q(self.key .. ":lock"), q "stalled" }
  local ok, reply = pcall(extend, keys, { self.process.token, self.ttl_ms, self.key })
  return ok and reply == 1
end

function Lock:acquire()
  local worker = self.process
  worker.token = worker.token or unique()  -- the queue object's
  return retry(function()
    redis("EVAL", ADD, 2, q(self.key), q "wait", self.key)
    stalled({ q "stalled", q "wait", q "active", q "failed", q "stalled-check", q "meta-paused", q "paused" },
      { STALLED_TIMES, PREFIX, 0, STALLED_MS })
    local job = active({ q "wait", q "active", q "priority", q "active@" .. worker.token, q "stalled", q "limiter",
      q "delayed", q "drained" }, { PREFIX, worker.token, self.ttl_ms, 0, "" })
    if job then
      self.timer = every(self.ttl_ms // 2, function() return extended(self) end)
      return true
    end
  end, LOOK_MS)
end

-- A job that has no lock of this queue's is an error.
function Lock:release()
  stop(self.timer)
  local code = finished({ q "active", q "completed", q(self.key), q "wait", q "priority",
    q "active@" .. self.process.token, q "delayed", q "stalled", q "metrics:completed" },
    { self.key, 0, "returnvalue", "null", self.process.token, KEEP_NONE, '{"jobId":"' .. self.key .. '"}', 0, PREFIX,
      self.ttl_ms, self.process.token, "" })
  if code ~= 0 then error("not this worker's job: " .. code) end
  return true
end

return Lock
