-- Two permits that end by themselves, the one after a lease, the other after two, in a sorted set; how
-- many are free is counted in a number. Who wants something takes both, and gives both back in one
-- request. `checks`: that looks at both before it removes one.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Permits = protocol {
  title = "two permits with an end, given back at once",
  source = "redisson#6343 (release of several permits of which one is over); scripts of our own",
  permanent = { "{key}:free" },
  settings = { checks = true },
}

local function keys_of(self)
  return { self.key, self.key .. ":free" }
end

function Permits:acquire()
  self.first, self.second = unique(), unique()
  return acquire(keys_of(self), { self.first, self.second, self.ttl_ms }) == 1
end

function Permits:release()
  local checks = setting("checks") and 1 or 0
  return release(keys_of(self), { checks, self.second, self.first }) == 1
end

return Permits
