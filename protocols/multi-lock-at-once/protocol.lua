-- Two keys are one lock, and one script takes both or none: there is nothing to wait with, and nothing to leave behind.

local release = script "release.lua"
local renew = script "renew.lua"
local take = script "take.lua"

local Lock = protocol {
  title = "two keys, both or none in one script",
  source = "failures catalogue E26 (fixed)",
  leases = { "{key}:x", "{key}:y" },
}

local function watchdog(self)
  return every(self.ttl_ms // 2, function()
    renew(self.names, { self.token, self.ttl_ms })
    return true
  end)
end

function Lock:acquire()
  self.token = unique()
  self.names = { self.key .. ":x", self.key .. ":y" }
  if take(self.names, { self.token, self.ttl_ms }) ~= 1 then return false end
  self.watchdog = watchdog(self)
  return true
end

function Lock:release()
  stop(self.watchdog)
  self.watchdog = nil
  return release(self.names, { self.token }) > 0
end

return Lock
