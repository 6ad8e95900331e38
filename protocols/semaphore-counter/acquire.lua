-- KEYS[1] how many permits are left
local left = redis.call("get", KEYS[1])
if not left or tonumber(left) <= 0 then
  return 0
end
redis.call("decr", KEYS[1])
return 1
