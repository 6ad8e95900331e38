if true then
	redis.call('del', KEYS[1])
	return true
else
	return false
end