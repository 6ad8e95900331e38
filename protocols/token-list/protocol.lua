-- A token in a list: who takes it (BLPOP) has the lock, and puts it back. The first client makes it. Nothing
-- says who has it, so one that is taken by somebody who dies, or who never hears of it, is gone.

local Lock = protocol {
  title = "a token in a list: BLPOP takes it, RPUSH puts it back",
  source = "https://redis.io/docs/latest/commands/blpop/; https://github.com/dv/redis-semaphore/issues/64",
  leases = { "{key}:free" },
  permanent = { "{key}:free", "{key}:made" },
}

local make = script "make.lua"

function Lock:acquire()
  make({ self.key .. ":made", self.key .. ":free" })
  return redis("BLPOP", self.key .. ":free", 0) ~= nil
end

function Lock:release()
  redis("RPUSH", self.key .. ":free", "token")
end

return Lock
