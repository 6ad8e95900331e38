-- Mistake: the lease in seconds is given as milliseconds.
-- Otherwise as set-nx-px-swallow. Seen by: --property mutual-exclusion

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, exceptions swallowed; compare-and-delete in Lua",
  source = "https://github.com/sibson/redbeat/issues/208",
}

function Lock:acquire()
  self.token = unique()
  local ok, reply = pcall(redis, "SET", self.key, self.token, "PX", self.ttl_s, "NX")
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
