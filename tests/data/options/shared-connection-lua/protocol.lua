-- As shared-connection-watch, but compare-and-delete is one script: a single request needs no
-- connection of its own.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; compare-and-delete by a script; one connection for all threads",
  source = "lettuce, multi-threaded use; Redis transactions (redis.io), Redis scripting and transactions",
  shared_connection = true,
}

function Lock:acquire()
  local token = unique()
  if redis("SET", self.key, token, "NX", "PX", self.ttl_ms) ~= OK then
    return false
  end
  self.token = token
  return true
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
