   if redis.call('exists' , KEYS[1]) == 0 or redis.call('hexists',KEYS[1],ARGV[1]) == 1 
   then --[[当锁不存在或者是重入情况]]
    redis.call('hincrby',KEYS[1],ARGV[1],1) --[[重入次数+1]]
    redis.call('expire',KEYS[1],ARGV[2]) --[[重置过期时间]]
    return 1
   else --[[锁存在且锁的持有者不是当前线程]]
       return 0
   end 
