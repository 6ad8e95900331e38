-- Mistake: the release deletes the counter too, and the numbers start again.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX and INCR in one script: a fencing token; compare-and-delete in Lua",
  source = "release.lua: Redis系列(十三)应用之分布式锁 (呼延, 2020); acquire.lua: lockstep's own",
  permanent = { "{key}:fence" },
}

function Lock:acquire()
  self.token = unique()
  local fence = acquire({ self.key, self.key .. ":fence" }, { self.token, self.ttl_ms })
  return fence ~= nil, fence
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
