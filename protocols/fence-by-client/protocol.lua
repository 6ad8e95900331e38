-- The client itself compares its number with the newest one, and then goes to the resource, which is told no number.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX and INCR in one script; the client compares the number, not the resource",
  source = "failures catalogue J07; https://github.com/redisson/redisson/issues/5044 (the idea)",
  permanent = { "{key}:fence" },
}

function Lock:acquire()
  self.token = unique()
  local fence = acquire({ self.key, self.key .. ":fence" }, { self.token, self.ttl_ms })
  if not fence then return false end
  if tonumber(redis("GET", self.key .. ":fence")) == fence then return true end
  release({ self.key }, { self.token })
  return false
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
