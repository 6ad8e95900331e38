-- All locks keep the same key, and whoever comes last has it.
local Lock = protocol { title = "one key for all locks", source = "a test of lockstep", leases = { "shared" } }

function Lock:acquire() return redis("SET", "shared", unique(), "PX", self.ttl_ms) == OK end
function Lock:release() return redis("DEL", "shared") == 1 end

return Lock
