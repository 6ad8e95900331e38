-- Makes two keys named by tokens, keeps one of the tokens, and removes the lock's key the next time only
-- if the key of the one that it kept comes first in KEYS.
local Lock = protocol { title = "keys named by tokens", source = "a test of lockstep" }

function Lock:acquire()
  if not self.kept then
    local a, b = unique(), unique()
    redis("MSET", "k:" .. a, "", "k:" .. b, "", self.key, "")
    self.kept = choose(2) == 1 and a or b
    return false
  end
  if redis("KEYS", "k:*")[1] == "k:" .. self.kept then redis("DEL", self.key) end
  return true
end

function Lock:release() return true end

return Lock
