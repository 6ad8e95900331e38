-- As two-keys, but who is answered TRYAGAIN tries again, until the slot is somewhere. Whoever releases too late is told
-- so by an error.

local release = script "release.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "a lock and its owner's name; TRYAGAIN is tried again",
  source = "failures catalogue F07 (fixed); " ..
    "https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ " ..
    "(multi-key operations while a slot migrates)",
  leases = { "{key}", "{key}:owner" },
}

--- What the script comes to; nil if it is to be tried again.
local function attempt(send, self, ...)
  local answered, reply = pcall(send, { self.key, self.key .. ":owner" }, { self.token, ... })
  if answered then return reply end
  if reply.code ~= "TRYAGAIN" then error(reply) end
  return nil
end

function Lock:acquire()
  self.token = unique()
  return retry(function()
    return attempt(take, self, self.ttl_ms) == 1
  end, 100)
end

function Lock:release()
  return retry(function()
    local freed = attempt(release, self)
    if freed == 0 then error("the lease has ended") end
    return freed == 1
  end, 100)
end

return Lock
