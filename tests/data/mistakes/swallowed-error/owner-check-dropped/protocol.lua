-- Mistake: the script of the release deletes without comparing.
-- Otherwise as swallowed-error. Seen by: --fault pause=1 --property foreign-release

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; an error while acquiring counts as success",
  source = "sibson/redbeat#208",
}

function Lock:acquire()
  self.token = unique()
  local ok, reply = pcall(redis, "SET", self.key, self.token, "NX", "PX", self.ttl_ms)
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
