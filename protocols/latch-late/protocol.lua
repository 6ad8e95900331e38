-- As latch, but that await() looks, then subscribes, and waits for the message without another
-- look: what is published in between is heard by nobody.
-- `works`: who waits sets the number, and if it is the first one, it does the work, in a task
-- beside it. Without it others do: set_count, and begin and count_down, which a workload calls.

local set = script "set.lua"
local count_down = script "count_down.lua"

local ZERO, NEW = "0", "1"
local kWorkers = 2
local kEverybody = 4

local Latch = protocol {
  title = "as latch, without a look after the subscription",
  source = "lockstep's own form of it (redisson#1763, for a latch); scripts of our own",
  permits = kEverybody,
  leases = {},
  permanent = { "{key}" },
  settings = { works = true },
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

function Latch:count_down()
  self.process.done = (self.process.done or 0) + 1
  count_down({ self.key, channel(self) }, { ZERO })
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
  if self:left() == 0 then
    return true
  end
  local open = semaphore(0)
  local heard = listen(channel(self), function(text)
    if text == ZERO then
      open:release()
    end
  end)
  open:acquire()
  stop(heard)
  return true
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
