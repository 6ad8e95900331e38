-- A hash that counts the entries of each owner; the last release removes the key.
local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol { title = "a hash that counts", source = "a test of lockstep" }

-- Each thread of the process is an owner of its own.
local function owner(self)
  local mine = task_local()
  mine.owner = mine.owner or unique()
  return mine.owner
end

function Lock:acquire()
  return acquire({ self.key }, { owner(self), self.ttl_ms }) == 1
end

function Lock:release()
  return release({ self.key }, { owner(self) }) == 1
end

return Lock
