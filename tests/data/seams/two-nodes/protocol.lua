-- The same key on two nodes; it has the lock if both gave it.
local Lock = protocol { title = "on two nodes", source = "a test of lockstep" }

function Lock:acquire()
  self.token = unique()
  local got = 0
  for _, answer in ipairs(call_all { "SET", self.key, self.token, "NX", "PX", self.ttl_ms }) do
    if answer.ok and answer.reply == OK then got = got + 1 end
  end
  return got == 2
end

function Lock:release()
  local gone = 0
  for _, answer in ipairs(call_all { "DEL", self.key }) do
    if answer.ok then gone = gone + answer.reply end
  end
  return gone == 2
end

return Lock
