-- Readers and writers that wait for a signal in a list: who leaves the lock empty leaves one there, and
-- wakes whoever is the first of those that wait. `passes_on`: a reader that has come in leaves another.
-- `waits`: else who is refused goes away.

local read = script "read.lua"
local write = script "write.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "readers and writers: an unlock wakes one",
  source = "redisson#1542 (readers are let in one at a time); scripts of our own",
  settings = { passes_on = true, waits = true },
}

local function signals_of(self)
  return self.key .. ":signals"
end

local function get(self, lock)
  self.owner = unique()
  return retry(function()
    if lock({ self.key }, { self.owner, self.ttl_ms }) == 1 then
      return true
    end
    if not setting("waits") then
      return GIVE_UP
    end
    redis("BLPOP", signals_of(self), self.ttl_s)
  end)
end

function Lock:acquire()
  return get(self, write)
end

function Lock:acquire_shared()
  if not get(self, read) then
    return false
  end
  if setting("passes_on") then
    redis("LPUSH", signals_of(self), 1)
    redis("PEXPIRE", signals_of(self), self.ttl_ms)
  end
  return true
end

function Lock:release()
  return release({ self.key, signals_of(self) }, { self.owner, self.ttl_ms }) == 1
end

Lock.release_shared = Lock.release

return Lock
