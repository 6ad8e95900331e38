-- redislock 0.10.0 for Go, one key and no retry strategy, which is its default: a refusal is final.
-- go-redis sends a request again after a connection error, three times at most. (EVAL stands for EVALSHA,
-- and EVAL after NOSCRIPT; the pause before a request is sent again, some milliseconds, is left out.)
local obtain = script "obtain.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "redislock 0.10.0 (Go, github.com/bsm/redislock)",
  source = "https://github.com/bsm/redislock/blob/v0.10.0/redislock.go",
}

local function resent(handle, keys, arguments)
  for sent = 1, 4 do
    local ok, answer = pcall(handle, keys, arguments)
    if ok then return answer end
    if answer.kind ~= "connection" or sent == 4 then error(answer) end
  end
end

function Lock:acquire()
  local token = unique()
  if resent(obtain, { self.key }, { token, self.ttl_ms }) ~= OK then return false end
  self.token = token
  return true
end

function Lock:release()
  return resent(release, { self.key }, { self.token }) == OK
end

return Lock
