-- Mistake: the comparison is the wrong way round.

local Lock = protocol {
  title = "SET EX NX with a token; GET, compare, DEL",
  source = "Redis系列(十三)应用之分布式锁 (呼延, 2020), section 业务超时误删除",
}

function Lock:acquire()
  self.token = unique()
  return redis("SET", self.key, self.token, "EX", self.ttl_s, "NX") == OK
end

function Lock:release()
  if redis("GET", self.key) ~= self.token then
    return redis("DEL", self.key) == 1
  end
  return false
end

return Lock
