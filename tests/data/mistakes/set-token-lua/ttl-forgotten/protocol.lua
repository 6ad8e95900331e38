-- Mistake: SET without EX: the key never expires.

local release = script "release.lua"

local Lock = protocol {
  title = "SET EX NX with a token; compare-and-delete in Lua",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 业务超时误删除",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "NX") == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock
