if (redis.call('setnx', KEYS[1], ARGV[1]) == 1) then
	return true
else
	return false
end