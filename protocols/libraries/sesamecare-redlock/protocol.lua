-- @sesamecare-oss/redlock 1.4.0 for node.js, as its using() locks, extends and unlocks: each script is sent to all
-- nodes at once, and the first majority of votes decides. (EVAL stands for its EVALSHA, and EVAL after NOSCRIPT; a
-- pause of 200 ms for one of 100 to 300 ms; lost() for the abort signal.)
local select_db = "\n  " .. script("select.lua").source  -- in front of each script
local acquire = select_db .. script("acquire.lua").source
local extend = select_db .. script("extend.lua").source
local release = select_db .. script("release.lua").source

local DB, TRIES, RETRY_MS, THRESHOLD_MS = 0, 11, 200, 500

local Lock = protocol {
  title = "@sesamecare-oss/redlock 1.4.0 (npm)",
  source = "https://www.npmjs.com/package/@sesamecare-oss/redlock/v/1.4.0, build/index.js",
  nodes = 1,
  quorum = "majority",
  shared_connection = true,
}

local function drift_ms(self)
  return (self.ttl_ms + 50) // 100 + 2
end

-- Whether a majority is for it, as soon as one is for or against it. With neither, which takes an even number of nodes,
-- its promise is never settled.
local function carried(self, ...)
  local function majority(answers)
    local pro, contra = 0, 0
    for _, answer in ipairs(answers) do
      if answer.ok and answer.reply == 1 then
        pro = pro + 1
      elseif not answer.pending then
        contra = contra + 1
      end
    end
    local needed = self.nodes // 2 + 1
    return pro >= needed and "for" or contra >= needed and "against"
  end
  local vote = majority(call_all { enough = majority, "EVAL", ... })
  if not vote then semaphore(0):acquire() end
  return vote == "for"
end

local function extended(self)
  if self.expiration < now() then return false end
  for try = 1, TRIES do
    if try > 1 then sleep(RETRY_MS) end
    local start = now()
    if carried(self, extend, 1, self.key, DB, self.token, self.ttl_ms) then
      self.expiration = start + self.ttl_ms - drift_ms(self)
      return true
    end
  end
  return false
end

-- One turn: the timer, which ends 500 ms before the lease does, and the extension.
local function turn(self)
  sleep(math.max(1, self.expiration - now() - THRESHOLD_MS))
  self.extending = true
  local done
  repeat done = extended(self) until done or self.expiration <= now()
  self.extending = false
  if not done then lost(self) end
  return not done or self.leaving
end

function Lock:acquire()
  self.token = unique()  -- one for all tries
  self.tries, self.extending, self.leaving = 0, false, false
  return retry(function()
    self.tries = self.tries + 1
    local start = now()
    if carried(self, acquire, 1, self.key, DB, self.token, self.ttl_ms) then
      self.expiration = start + self.ttl_ms - drift_ms(self)
      self.timer = spawn(retry, function() return turn(self) end)
      return true
    end
    if self.tries == TRIES then
      carried(self, release, 1, self.key, DB, self.token)
      return GIVE_UP
    end
  end, RETRY_MS)
end

-- An extension under way is waited for. (The timer that it leaves behind then finds a lock that is over, and does
-- nothing.)
function Lock:release()
  self.leaving = true
  if self.extending then await(self.timer) else stop(self.timer) end
  self.expiration, self.tries = nil, 0
  return retry(function()
    self.tries = self.tries + 1
    if carried(self, release, 1, self.key, DB, self.token) then return true end
    if self.tries == TRIES then error("unable to achieve a quorum") end
  end, RETRY_MS)
end

return Lock
