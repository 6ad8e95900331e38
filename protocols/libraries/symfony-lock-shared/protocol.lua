-- Symfony 5.4.53's Lock on RedisStore (phpredis), with both modes: acquireRead(true) and acquire(true) with a TTL, and
-- an initial TTL, of the lease; release(); and the destructor of an object that still thinks it holds something. It
-- tries every 90 to 110 ms: here every 5000 ms, for the search. Each lock has an object of its own, which is asked for
-- one mode at a time. (That the store asks whether scripts can read the time is left out. The server is one whose
-- clock stands still in a script.)
local clock, save, saved = script "clock.lua", script "save.lua", script "saved.lua"
local extend, extended, delete = script "extend.lua", script "extended.lua", script "delete.lua"
local exists, found = script "exists.lua", script "found.lua"
local save_read, saved_read = script "save-read.lua", script "saved-read.lua"

local RETRY_MS = 5000

local Lock = protocol {
  title = "Symfony 5.4.53 (Debian), Lock on RedisStore, readers and writers",
  source = "https://packages.debian.org/bookworm/php-symfony-lock, Lock.php, Store/RedisStore.php",
  server = "redis-7.2",
}

-- The scripts that need the time are put together of what stands around the lines that read it. (The first argument is
-- the client's time, which those lines do not read: here 0.)
local function ask(self, before, after, ttl_ms)
  local text = before.source .. clock.source .. after.source
  if not ttl_ms then return redis("EVAL", text, 1, self.key, 0, self.token) end
  return redis("EVAL", text, 1, self.key, 0, self.token, ttl_ms)
end

local function reduced(self)
  local finish = now() + self.ttl_ms
  if not self.finish or finish < self.finish then self.finish = finish end
end

local function deleted(self)
  redis("EVAL", delete.source, 1, self.key, self.token)
end

local function check_not_expired(self)
  if self.finish > now() then return end
  pcall(deleted, self)
  error("expired")
end

local function destroyed(self)
  self.finish = nil
  if self.dirty and ask(self, exists, found) then
    deleted(self)
    self.dirty = false
    ask(self, exists, found)
  end
  self.dirty = nil
end

-- True: saved; nil: it is another's. The lifetime is what the first try of an acquire() says, and no later one.
local function attempt(self, before, after)
  reduced(self)
  if not ask(self, before, after, self.ttl_ms) then return end
  check_not_expired(self)
  self.dirty, self.finish = true, nil
  reduced(self)
  if not ask(self, extend, extended, self.ttl_ms) then
    self.dirty = false
    error("conflict")
  end
  check_not_expired(self)
  return true
end

local function get(self, before, after)
  self.token, self.finish, self.dirty = unique(), nil, false
  return retry(function()
    local ok, got = pcall(attempt, self, before, after)
    if not ok then
      pcall(destroyed, self)
      error("could not be acquired: " .. tostring(got))
    end
    if got then self.finish = nil end
    return got
  end, RETRY_MS)
end

function Lock:acquire_shared()
  return get(self, save_read, saved_read)
end

function Lock:acquire()
  return get(self, save, saved)
end

function Lock:release()
  local ok, cause = pcall(function()
    deleted(self)
    self.dirty = false
    if ask(self, exists, found) then error("still locked") end
  end)
  if not ok then
    pcall(destroyed, self)
    error("could not be released: " .. tostring(cause))  -- the exception has it as its previous one
  end
  self.dirty = nil
end

Lock.release_shared = Lock.release

return Lock
