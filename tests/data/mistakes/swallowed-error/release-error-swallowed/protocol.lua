-- Mistake: an error of the release counts as a release.
-- Otherwise as swallowed-error. Seen by: --fault lose=1 --property honest-result

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
  local ok, reply = pcall(release, { self.key }, { self.token })
  return not ok or reply == 1
end

return Lock
