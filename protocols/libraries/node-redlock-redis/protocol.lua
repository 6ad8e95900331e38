-- node-redlock 2.3.0 for node.js, on its clients for node-redis 4: acquireLock() and releaseLock(). RedisjsClient
-- says OK, and 1, to each request at once, whatever becomes of it. Here it waits for the answers, which it does not
-- look at: that only gives the requests an order. (An error, which nobody catches, is taken to be survived.)
local release = script "release.lua"

local Lock = protocol {
  title = "node-redlock 2.3.0 (npm), on node-redis",
  source = "https://www.npmjs.com/package/node-redlock/v/2.3.0, redlock.ts",
  quorum = "majority",
  shared_connection = true,
}

local function sent(self, ...)
  call_all { ... }
end

function Lock:acquire()
  self.value = unique()
  sent(self, "SET", self.key, self.value, "PX", self.ttl_ms, "NX")
  return true
end

function Lock:release()
  sent(self, "EVAL", release.source, 1, self.key, self.value)
end

return Lock
