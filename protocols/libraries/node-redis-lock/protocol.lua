-- node-redis-lock 1.0.1 for node.js (node_redis 2 and redis-scripto): one object for each key and process, whose
-- value is the same for ever. Its scripts are passed all they need as keys. The backslashes at the ends of their
-- lines, which JavaScript takes away with the lines' ends, are taken away here. (EVAL stands for EVALSHA. It does not
-- try again.)
local acquire, release = script "acquire.lua", script "release.lua"

local Lock = protocol {
  title = "node-redis-lock 1.0.1 (npm)",
  source = "https://www.npmjs.com/package/node-redis-lock/v/1.0.1, lib/index.js",
  shared_connection = true,
}

local function run(handle, ...)
  local text = handle.source:gsub("\\\n", "")
  return redis("EVAL", text, select("#", ...), ...)
end

function Lock:acquire()
  self.value = self.value or unique()  -- made with the object
  return run(acquire, self.key, self.value, self.ttl_s) == 1
end

function Lock:release()
  if run(release, self.key, self.value) == 0 then error("locked with another value") end
  return true
end

return Lock
