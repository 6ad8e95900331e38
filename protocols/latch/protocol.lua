-- A countdown latch as Redisson's RCountDownLatch: a number, which is set if there is none, counted
-- down by workers, and deleted at 0, which is published. Here acquire() is await(): it looks,
-- subscribes, looks again, and waits for the message; then it looks once more. As many as wait may
-- pass, and nobody has anything to give back. A number that is not there is 0, as in Redisson.
-- `works`: who waits sets the number, and if it is the first one, it does the work, in a task
-- beside it. Without it others do: set_count, and begin and count_down, which a workload calls. (A
-- worker is handed its work once the latch is set; begin() waits for that.)
-- `wait_ms`: await() with a time; -1: without.
-- `retries`: a count that was not answered is sent again (Redisson until 3.16.3).
-- `named`: a worker's name is sent with its count, so that nobody counts twice (not Redisson's).

local set = script "set.lua"
local count_down = script "count_down.lua"
local count_down_once = script "count_down_once.lua"

local ZERO, NEW = "0", "1"
local kWorkers = 2
local kEverybody = 4

local Latch = protocol {
  title = "a countdown latch: await() subscribes, and looks again",
  source = "https://github.com/redisson/redisson: RedissonCountDownLatch; scripts of our own",
  permits = kEverybody,
  leases = {},
  permanent = { "{key}", "{key}:counted" },
  settings = { works = true, wait_ms = -1, retries = false, named = false },
}

local function channel(self)
  return "redisson_countdownlatch__channel__{" .. self.key .. "}"
end

function Latch:set_count()
  return set({ self.key, channel(self) }, { NEW, kWorkers }) == 1
end

--- How many still have to count; `closed` is for the invariant.
function Latch:left()
  local count = tonumber(redis("GET", self.key) or 0)
  self.closed = self.closed or count > 0
  return count
end

local function send_count(self)
  if setting("named") then
    local keys = { self.key, channel(self), self.key .. ":counted" }
    return count_down_once(keys, { ZERO, task_local().name })
  end
  return count_down({ self.key, channel(self) }, { ZERO })
end

function Latch:count_down()
  self.process.done = (self.process.done or 0) + 1
  task_local().name = task_local().name or unique()
  local ok, e = pcall(send_count, self)
  if not ok and setting("retries") and e.kind == "connection" then
    ok, e = pcall(send_count, self)
  end
  if not ok then
    error(e, 0)
  end
end

local function work(self)
  for _ = 1, kWorkers do
    sleep(1000)
    self:count_down()
  end
end

function Latch:acquire()
  if setting("works") and self:set_count() then
    spawn(work, self)
  end
  local called, wait_ms = monotonic(), setting("wait_ms")
  if self:left() == 0 then
    return true
  end
  local open = semaphore(0)
  local heard = listen(channel(self), function(text)
    if text == ZERO then
      open:release()
    end
  end)
  return retry(function()
    if self:left() == 0 then
      stop(heard)
      return true
    end
    local waited_ms = monotonic() - called
    if wait_ms >= 0 and waited_ms >= wait_ms then
      stop(heard)
      return GIVE_UP
    end
    open:acquire(wait_ms >= 0 and wait_ms - waited_ms or nil)
  end)
end

function Latch:release() end

function Latch:begin()
  return retry(function()
    local ok, there = pcall(redis, "EXISTS", self.key)
    return ok and there == 1
  end, 1000)
end

invariant("who has seen the latch closed passes when all the work is done", function(world)
  local done, passed = 0, false
  for _, client in ipairs(world.clients) do
    local latch = client.locks["lock"]
    done = done + (client.life == "dead" and kWorkers or client.process.done or 0)
    passed = passed or client.holds["lock"] ~= nil and latch ~= nil and latch.closed
  end
  return not passed or done >= kWorkers
end)

return Latch
