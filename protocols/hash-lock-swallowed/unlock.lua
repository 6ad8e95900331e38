   if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then --[[锁的持有者不是当前线程，即恶意释放锁]]
       return nil   --[[返回nil表示恶意释放锁]]
   elseif redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then --[[重入计数器减为0,说明锁释放成功,此时需要删除key]]
       redis.call('del',KEYS[1])  --[[删除key,即释放锁]]
       return 1  --[[返回1表示锁释放成功]]
   else
       return 0 --[[锁依旧被当前线程持有,不需要操作]]
   end
