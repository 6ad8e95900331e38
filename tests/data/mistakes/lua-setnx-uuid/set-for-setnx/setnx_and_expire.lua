if redis.call('set', KEYS[1], ARGV[1]) then
	redis.call('expire', KEYS[1], tonumber(ARGV[2]))
	return true
else
	return false
end