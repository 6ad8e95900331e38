-- Mistake: the release says true, whatever the script returned.

local release = script "release.lua"

local Lock = protocol {
  title = "SET EX NX with a token; compare-and-delete in Lua",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 业务超时误删除",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "EX", self.ttl_s, "NX") == OK
end

function Lock:release()
  release({ self.key }, { self.token })
  return true
end

return Lock
