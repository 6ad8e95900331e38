-- A queue in which who unlocks hands the lock over to the first that waits, by its token, and tells it
-- in a list of its own. Who has waited for 4 s leaves. `looks`: unless it has been taken from the queue
-- meanwhile: then the lock is its own.

local join = script "join.lua"
local pass = script "pass.lua"

local Lock = protocol {
  title = "a queue: who unlocks hands the lock over",
  source = "amphp/redis#61 (who gives up leaves the queue); scripts of our own",
  settings = { looks = true },
}

function Lock:acquire()
  self.token = unique()
  local queue = self.key .. ":queue"
  if join({ self.key, queue }, { self.token, self.ttl_ms }) == 1 then
    return true
  end
  if redis("BLPOP", self.key .. ":" .. self.token, 4) then
    return true
  end
  local left = redis("LREM", queue, 0, self.token) == 1
  return setting("looks") and not left
end

function Lock:release()
  return pass({ self.key, self.key .. ":queue" }, { self.token, self.ttl_ms }) == 1
end

return Lock
