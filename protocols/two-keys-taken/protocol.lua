-- As two-keys, but what is not 0 counts as taken: an error that was caught, too.

local release = script "release.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "a lock and its owner's name; what is not refused is taken",
  source = "failures catalogue F07; https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ " ..
    "(multi-key operations while a slot migrates)",
  leases = { "{key}", "{key}:owner" },
}

function Lock:acquire()
  self.token = unique()
  local _, taken = pcall(take, { self.key, self.key .. ":owner" }, { self.token, self.ttl_ms })
  return taken ~= 0
end

function Lock:release()
  return release({ self.key, self.key .. ":owner" }, { self.token }) == 1
end

return Lock
