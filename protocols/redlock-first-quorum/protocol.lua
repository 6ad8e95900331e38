-- As redlock-parallel, but decided as soon as a majority has said yes, or can not any more: so does node-redlock 5.
-- What the others answer later nobody hears. One connection to each node carries it all: no release overtakes a SET.
local unlock = script "unlock.lua"

local Lock = protocol {
  title  = "Redlock that goes by the first majority of answers",
  source = "https://github.com/mike-marcacci/node-redlock (5.0.0-beta.2, _execute)",
  nodes  = 3,
  quorum = "majority",
  shared_connection = true,
}

local TIMEOUT_MS = 50

local function is_yes(answer)
  return answer.ok and (answer.reply == OK or answer.reply == 1)
end

-- Whether a majority of the nodes did it, as far as has to be known.
local function majority(self, request)
  local quorum, yes = self.nodes // 2 + 1, 0
  request.timeout_ms = TIMEOUT_MS
  request.enough = function(answers)
    local no = 0
    yes = 0
    for _, answer in ipairs(answers) do
      if is_yes(answer) then yes = yes + 1 elseif not answer.pending then no = no + 1 end
    end
    return yes >= quorum or no > self.nodes - quorum
  end
  call_all(request)
  return yes >= quorum
end

local function release_everywhere(self)
  return majority(self, { "EVAL", unlock.source, 1, self.key, self.token })
end

function Lock:acquire()
  self.token = unique()
  local start = monotonic()
  local got = majority(self, { "SET", self.key, self.token, "NX", "PX", self.ttl_ms })
  local validity = self.ttl_ms - (monotonic() - start) - (self.ttl_ms // 100 + 2)
  if got and validity > 0 then return true end
  release_everywhere(self)
  return false
end

function Lock:release()
  release_everywhere(self)
end

return Lock
