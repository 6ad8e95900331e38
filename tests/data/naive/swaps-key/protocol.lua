-- A mistake on purpose: once a thread ends, an inner release() of another takes the key away for a moment; the one that
-- ends believes a key that is gone to be its own release.
local Lock = protocol { title = "an inner release that swaps the key", source = "a test of lockstep" }

function Lock:acquire()
  local mine = task_local()
  mine.depth = (mine.depth or 0) + 1
  redis("SET", self.key, 1)
  return true
end

function Lock:release()
  local mine = task_local()
  mine.depth = mine.depth - 1
  if mine.depth == 0 then
    self.ending = true
    if redis("GET", self.key) == nil then return true end
    return redis("DEL", self.key) == 1
  end
  if self.ending then
    redis("DEL", self.key)
    redis("SET", self.key, 1)
  end
  return true
end

return Lock
