-- A token in a list, which is to expire some time after the semaphore was made. Who puts its token
-- back does not look whether there still is a semaphore, unless the setting says so.

local make = script "make.lua"
local put_back = script "put-back.lua"

local Semaphore = protocol {
  title = "semaphore: tokens in a list that expires",
  source = "dv/redis-semaphore#61; failures catalogue I07; scripts of our own",
  leases = { "{key}:grabbed" },
  settings = { looks = false },
}

local function keys_of(self)
  return { self.key .. ":exists", self.key .. ":free", self.key .. ":grabbed" }
end

function Semaphore:acquire()
  make(keys_of(self), { self.ttl_ms })
  local token = redis("LPOP", self.key .. ":free")
  if not token then
    return false
  end
  redis("HSET", self.key .. ":grabbed", token, "1")
  redis("PEXPIRE", self.key .. ":grabbed", self.ttl_ms)
  self.token = token
  return true
end

function Semaphore:release()
  if setting("looks") then
    put_back(keys_of(self), { self.token })
    return
  end
  redis("HDEL", self.key .. ":grabbed", self.token)
  redis("RPUSH", self.key .. ":free", self.token)
end

return Semaphore
