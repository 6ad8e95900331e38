-- The number is drawn by a request of its own, behind the one that takes the lock: who is late to draw it draws the
-- higher one.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX, then INCR for the fencing token",
  source = "failures catalogue J02; simple-redis-mutex 3.0.0",
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
  if redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) ~= OK then return false end
  self.fence = redis("INCR", self.key .. ":fence")
  return true, self.fence
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
