-- Mistake: SET without PX: the key never expires.
-- Otherwise as swallowed-error. Seen by: --fault crash=1 --property deadlock

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; an error while acquiring counts as success",
  source = "sibson/redbeat#208",
}

function Lock:acquire()
  self.token = unique()
  local ok, reply = pcall(redis, "SET", self.key, self.token, "NX")
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
