-- Mistake: every client has the same token.
-- Otherwise as set-nx-px-swallow. Seen by: --property foreign-release --fault pause=1

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, exceptions swallowed; compare-and-delete in Lua",
  source = "https://github.com/sibson/redbeat/issues/208",
}

function Lock:acquire()
  self.token = "1"
  local ok, reply = pcall(redis, "SET", self.key, self.token, "PX", self.ttl_ms, "NX")
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
