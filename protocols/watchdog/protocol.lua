-- A watchdog as it should be: it renews at a third of the lease, only its own lock, and goes on
-- after an error. A deadline on this host, set before each request is sent, tells the holder in
-- time when no renewal has come through. Both end before the release.

local release = script "release.lua"
local renew = script "renew.lua"

local Lock = protocol {
  title = "SET NX PX with a watchdog that knows its deadline and tells the holder",
  source = "lockstep's own, after redisson#3194, #3636 and others",
}

-- What this thread has under way for the lock: its token and its tasks.
local function hold_of(self)
  local thread = task_local()
  thread[self.key] = thread[self.key] or {}
  return thread[self.key]
end

local function deadline(self)
  return every(self.ttl_ms, function()
    lost(self)
    return false
  end)
end

local function watchdog(self, hold)
  return every(self.ttl_ms // 3, function()
    hold.next_deadline = deadline(self)
    local ok, renewed = pcall(renew, { self.key }, { hold.token, self.ttl_ms })
    local mine = ok and renewed == 1
    stop(mine and hold.deadline or hold.next_deadline)
    if mine then
      hold.deadline = hold.next_deadline
    end
    hold.next_deadline = nil
    if ok and not mine then
      lost(self)
    end
    return mine or not ok
  end)
end

local function let_go(self)
  local hold = hold_of(self)
  task_local()[self.key] = nil
  for _, name in ipairs { "watchdog", "deadline", "next_deadline" } do
    if hold[name] then
      stop(hold[name])
    end
  end
  return release({ self.key }, { hold.token }) == 1
end

function Lock:acquire()
  local hold = hold_of(self)
  hold.token = unique()
  hold.deadline = deadline(self)
  local ok, reply = pcall(redis, "SET", self.key, hold.token, "NX", "PX", self.ttl_ms)
  if ok and reply == OK and alive(hold.deadline) then
    hold.watchdog = watchdog(self, hold)
    return true
  end
  let_go(self)
  return false
end

function Lock:release()
  return let_go(self)
end

return Lock
