-- Mistake: an error while acquiring is taken for success.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; after an error compare-and-delete",
  source = "antirez/redlock-rb#3: after an error the lock may have been taken",
}

function Lock:acquire()
  self.token = unique()
  local ok, reply = pcall(redis, "SET", self.key, self.token, "NX", "PX", self.ttl_ms)
  if not ok then
    release({ self.key }, { self.token })
  end
  return not ok or reply == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
