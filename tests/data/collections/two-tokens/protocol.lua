-- Puts two tokens of one score into a sorted set, keeps one of them, and removes the key the next time
-- only if the one that it kept comes first: the names of its tokens must not be exchanged.
local Lock = protocol { title = "two tokens of one score", source = "a test of lockstep" }

function Lock:acquire()
  if not self.kept then
    local a, b = unique(), unique()
    redis("ZADD", self.key, "0", a, "0", b)
    self.kept = choose(2) == 1 and a or b
    return false
  end
  if redis("ZRANGE", self.key, "0", "0")[1] == self.kept then redis("DEL", self.key) end
  return true
end

function Lock:release() return true end

return Lock
