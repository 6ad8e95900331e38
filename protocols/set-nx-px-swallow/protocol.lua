-- As set-nx-px, but an exception during acquire is swallowed and the work goes on without a lock ("better run
-- than not").
-- Repairs: the lines beginning with // (a comment and an example) stand in the article's block, but are not
-- Lua.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, exceptions swallowed; compare-and-delete in Lua",
  source = "https://github.com/sibson/redbeat/issues/208",
}

function Lock:acquire()
  self.token = unique()
  local ok, reply = pcall(redis, "SET", self.key, self.token, "PX", self.ttl_ms, "NX")
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
