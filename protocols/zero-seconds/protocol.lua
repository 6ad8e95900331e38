-- A lock for a number of seconds, 0 if the caller names none; and 0 is SETNX, without an end.

local release = script "release.lua"

local Lock = protocol {
  title = "SET NX EX for a number of seconds; SETNX for 0, which is the default",
  source = "failures catalogue K04; https://github.com/laravel/framework (RedisLock::acquire)",
}

local SECONDS = 0

function Lock:acquire()
  self.token = unique()
  if SECONDS > 0 then
    return redis("SET", self.key, self.token, "EX", SECONDS, "NX") == OK
  end
  return redis("SETNX", self.key, self.token) == 1
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
