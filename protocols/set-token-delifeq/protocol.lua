-- As set-token-delex, on Valkey 9, whose command for it is DELIFEQ.
--   SET the key to a random value NX PX 30000.   Release: DELIFEQ the key that value.

local Lock = protocol {
  title = "SET NX PX with a token; DELIFEQ",
  source = "valkey.io, the command DELIFEQ (Valkey 9.0): Safe lock release",
  server = "valkey-9",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX", "PX", self.ttl_ms) == OK
end

function Lock:release()
  return redis("DELIFEQ", self.key, self.token) == 1
end

return Lock
