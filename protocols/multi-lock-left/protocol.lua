-- Two keys are one lock. Who finds the second one taken gives up, and leaves the first one and its watchdog behind.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "two keys; giving up at the second leaves the first",
  source = "failures catalogue E26; https://github.com/redisson/redisson/issues/4456",
  leases = { "{key}:x", "{key}:y" },
}

-- The two keys, in the order in which the caller names them: any of the two.
local function named(self)
  local x, y = self.key .. ":x", self.key .. ":y"
  if choose(2) == 1 then return { x, y } end
  return { y, x }
end

-- Renews what is held, from the first key on.
local function watchdog(self)
  return every(self.ttl_ms // 2, function()
    renew(self.held, { self.token, self.ttl_ms })
    return true
  end)
end

-- Takes the keys that are still missing, one after the other; false at the first that somebody else has.
local function take_missing(self)
  while #self.held < #self.names do
    local name = self.names[#self.held + 1]
    if redis("SET", name, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
    self.held[#self.held + 1] = name
    self.watchdog = self.watchdog or watchdog(self)
  end
  return true
end

function Lock:acquire()
  self.token = unique()
  self.names = named(self)
  self.held = {}
  return take_missing(self)
end

function Lock:release()
  stop(self.watchdog)
  self.watchdog = nil
  return release(self.names, { self.token }) > 0
end

return Lock
