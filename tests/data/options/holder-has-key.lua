-- Whoever is in the critical section has the lock's key, with its own token in it.
invariant("who holds the lock has its key", function(world)
  local key = world.nodes[1].keys.lock
  for _, client in ipairs(world.clients) do
    if client.holds.lock and not (key and key.value == client.locks.lock.token) then
      return false
    end
  end
  return true
end)
