-- Not a lock: for tests of a step that violates two properties. Whoever finds the mark acquires "look",
-- says that it has released it, which nobody did, and acquires "plain", all in one step.

local Lock = protocol {
  title = "violates two properties in one step",
  source = "tests/checker/seams_test.cpp",
}

function Lock:acquire()
  if self.key == "mark" then
    redis("SET", "m", 1)
  elseif self.key == "look" then
    if redis("GET", "m") ~= "1" then return false end
    redis("SET", "look", 1)
  end
  return true
end

function Lock:release()
  return self.key == "look"
end

return Lock
