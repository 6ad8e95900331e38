-- The key belongs to the client, whoever of its threads asks, as a reentrant lock's does. Between
-- its threads a flag of the lock object decides: looked at, then set, which is two accesses.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "the key is the client's; a flag keeps its threads apart",
  source = "check-then-act: Goetz et al., Java Concurrency in Practice, 2.2.1",
}

function Lock:acquire()
  if self.busy then
    return false
  end
  self.busy = true
  self.id = self.id or unique()
  if acquire({ self.key }, { self.id, self.ttl_ms }) == 1 then
    return true
  end
  self.busy = nil
  return false
end

function Lock:release()
  local released = release({ self.key }, { self.id }) == 1
  self.busy = nil
  return released
end

return Lock
