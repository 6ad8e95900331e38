-- Mistake: all processes have the same id.
-- Otherwise as evicted-mutex. Seen by: --property mutual-exclusion

local obtain = script "obtain.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "a mutex for each key in a registry, client id in Redis; used objects may be thrown out",
  source = "spring-integration PR#8572",
}

-- Whether the time of an object is up is any time's guess.
local function obtain_object(self)
  local old = self.object
  if old and choose(2) == 2 then
    self.object = nil
  end
  self.object = self.object or { mutex = mutex(), users = 0 }
  return self.object
end

local function give_back()
  local object = task_local().object
  task_local().object = nil
  object.users = object.users - 1
  object.mutex:unlock()
end

function Lock:acquire()
  local object = obtain_object(self)
  object.users = object.users + 1
  object.mutex:lock()
  self.process.id = self.process.id or "client"
  task_local().object = object
  if obtain({ self.key }, { self.process.id, self.ttl_ms }) then
    return true
  end
  give_back()
  return false
end

function Lock:release()
  local released = release({ self.key }, { self.process.id }) == 1
  give_back()
  return released
end

return Lock
