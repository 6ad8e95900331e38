-- How many permits are left is a number. Nothing says who has one. A client whose release() hears of
-- no answer sends it again.

local acquire = script "acquire.lua"

local Semaphore = protocol {
  title = "semaphore: a number of permits, DECR and INCR",
  source = "redisson#2213 (RSemaphore: permits of who dies are lost), failures catalogue I05; a script of our own",
  permanent = { "{key}" },
  settings = { limit = 1, attempts = 1 },
}

function Semaphore:acquire()
  redis("SETNX", self.key, setting("limit"))
  return acquire({ self.key }) == 1
end

function Semaphore:release()
  for attempt = 1, setting("attempts") do
    local answered, message = pcall(redis, "INCR", self.key)
    if answered then
      return true
    end
    if attempt == setting("attempts") then
      error(message, 0)
    end
  end
end

return Semaphore
