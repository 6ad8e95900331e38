-- Reads go to a replica: whoever finds its own name there takes the lock for its own already. A replica may say what
-- was so a while ago, and the name is the same in every round.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX PX with a name per client; the owner is looked up at a replica",
  source = "https://redis.io/docs/latest/operate/oss_and_stack/management/replication/; lockstep's own",
  replicas = 1,
}

local function at_replica(self, ...)
  return call { node = self.nodes + 1, ... }
end

function Lock:acquire()
  self.name = self.name or unique()
  if at_replica(self, "GET", self.key) == self.name then return true end
  return redis("SET", self.key, self.name, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return release({ self.key }, { self.name }) == 1
end

return Lock
