-- Two permits, counted in a number: INCR takes one, DECR gives it back, and gives it back at once if
-- it was one too many.

local kPermits = 2

local Permit = protocol {
  title = "two permits, counted: INCR, and DECR if that was one too many",
  source = "lockstep's own: the counting semaphore as it stands in many a tutorial",
  permanent = { "{key}" },
  permits = kPermits,
}

function Permit:acquire()
  if redis("INCR", self.key) <= kPermits then
    return true
  end
  redis("DECR", self.key)
  return false
end

function Permit:release()
  redis("DECR", self.key)
end

return Permit
