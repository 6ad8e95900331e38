-- As two-keys, but release() swallows errors, TRYAGAIN among them, and reports the lock as free.

local release = script "release.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "a lock and its owner's name; errors while releasing are swallowed",
  source = "failures catalogue F07; https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ " ..
    "(multi-key operations while a slot migrates)",
  leases = { "{key}", "{key}:owner" },
}

function Lock:acquire()
  self.token = unique()
  return take({ self.key, self.key .. ":owner" }, { self.token, self.ttl_ms }) == 1
end

function Lock:release()
  local answered, freed = pcall(release, { self.key, self.key .. ":owner" }, { self.token })
  return not answered or freed == 1
end

return Lock
