-- Laravel 8.83.26 (illuminate/cache, on phpredis), Cache::lock(name, seconds)->block(5): each lock has an object of
-- its own. It tries every 250 ms: here every 1000 ms, for the search. It counts the whole seconds of the wall clock:
-- here what has passed of it.
local release = script "release.lua"

local RETRY_MS, BLOCK_MS = 1000, 5000

local Lock = protocol {
  title = "Laravel 8.83.26 (Debian), RedisLock",
  source = "https://packages.debian.org/bookworm/php-illuminate-cache, Cache/Lock.php, Cache/RedisLock.php",
  leases = { "laravel_cache:{key}" },
}

function Lock:acquire()
  self.owner, self.since, self.asked = unique(), now(), false
  return retry(function()
    if self.asked and now() - BLOCK_MS >= self.since then
      self.since = nil
      error("timeout")
    end
    self.asked = true
    if redis("SET", "laravel_cache:" .. self.key, self.owner, "EX", self.ttl_s, "NX") == OK then
      self.since = nil
      return true
    end
  end, RETRY_MS)
end

function Lock:release()
  return release({ "laravel_cache:" .. self.key }, { self.owner }) == 1
end

return Lock
