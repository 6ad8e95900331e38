-- A lock and, beside it, who holds it: two keys of one slot ({orders} and {orders}:owner), which one script sets and
-- another one removes. In a cluster each key goes to another node by itself: as long as one has gone and one has not,
-- and as long as neither is there and the slot is on its way, both scripts are answered TRYAGAIN, which nobody expects.

local release = script "release.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "a lock and its owner's name, two keys of one script",
  source = "failures catalogue F07; https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ " ..
    "(multi-key operations while a slot migrates)",
  leases = { "{key}", "{key}:owner" },
}

function Lock:acquire()
  self.token = unique()
  return take({ self.key, self.key .. ":owner" }, { self.token, self.ttl_ms }) == 1
end

function Lock:release()
  return release({ self.key, self.key .. ":owner" }, { self.token }) == 1
end

return Lock
