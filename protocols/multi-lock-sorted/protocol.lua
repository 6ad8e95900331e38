-- As multi-lock, but the keys are taken in one order by all: who has the last one waits for nobody. And an error gives
-- back what is there.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "two keys, taken in the order of their names; an error gives both back",
  source = "failures catalogue E26 (fixed)",
  leases = { "{key}:x", "{key}:y" },
}

-- The two keys, in the order of their names, however the caller names them.
local function named(self)
  return { self.key .. ":x", self.key .. ":y" }
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

local function let_go(self)
  if self.watchdog then stop(self.watchdog) end
  self.watchdog = nil
  return release(self.names, { self.token }) > 0
end

function Lock:acquire()
  self.token = unique()
  self.names = named(self)
  self.held = {}
  return retry(function()
    local asked, result = pcall(take_missing, self)
    if asked then return result end
    let_go(self)
    error(result, 0)
  end, 100)
end

function Lock:release()
  return let_go(self)
end

return Lock
