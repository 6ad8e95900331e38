-- As set-token-settle, and settled for good: the attempt that is given up leaves a mark, so that its
-- SET finds it, should it be executed only then. A connection error does not say that the request is
-- gone: a proxy or a socket buffer may still have it. The mark never expires, for nobody knows how
-- late the request is: one small key for each connection error.

local acquire = script "acquire.lua"
local settle = script "settle.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a token; after an error compare-and-delete, and mark the attempt",
  source = "antirez/redlock-rb#3: after an error the lock may have been taken",
}

function Lock:acquire()
  self.token = unique()
  local mark = self.key .. ":given-up:" .. self.token
  local ok, taken = pcall(acquire, { self.key, mark }, { self.token, self.ttl_ms })
  if not ok then
    settle({ self.key, mark }, { self.token })
  end
  return ok and taken == 1
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
