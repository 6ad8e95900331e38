-- As fence-after-set, but one script takes the lock and draws the number: the numbers are in the order of the grants.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX and INCR for the fencing token, in one script",
  source = "failures catalogue J02 (fixed); acquire.lua: lockstep's own",
  permanent = { "{key}:fence" },
}

invariant("of those inside, who has the key has the highest number", function(world)
  for key, entry in pairs(world.nodes[1].keys) do
    local has, highest = nil, 0
    for _, client in ipairs(world.clients) do
      local lock = client.holds[key] and client.locks[key]
      if lock and lock.fence then
        highest = math.max(highest, lock.fence)
        if lock.token == entry.value then has = lock.fence end
      end
    end
    if has and has < highest then return false end
  end
  return true
end)

function Lock:acquire()
  self.token = unique()
  local fence = acquire({ self.key, self.key .. ":fence" }, { self.token, self.ttl_ms })
  if not fence then return false end
  self.fence = fence
  return true, fence
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
