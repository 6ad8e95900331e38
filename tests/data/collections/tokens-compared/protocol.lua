-- Takes two tokens, keeps one of them, and removes the lock's key the next time only if a script finds that the
-- one that it kept comes first.
local remove_if_first = script "remove-if-first.lua"
local Lock = protocol { title = "tokens compared by a script", source = "a test of lockstep" }

function Lock:acquire()
  if not self.kept then
    local a, b = unique(), unique()
    redis("SET", self.key, "")
    local first = choose(2) == 1
    self.kept, self.other = first and a or b, first and b or a
    return false
  end
  remove_if_first({ self.key }, { self.kept, self.other })
  return true
end

function Lock:release() return true end

return Lock
