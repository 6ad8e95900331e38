<?php
// Two processes acquire the same lock twice, work for 300 ms, and release it. The client's time, which is an argument
// of the scripts that none of them reads here, is 0, as in protocol.lua: it is asked for in the store's namespace.
namespace Symfony\Component\Lock\Store {
    function microtime(bool $asFloat = false)
    {
        return 0;
    }
}

namespace {
    require '/usr/share/php/Symfony/Component/Lock/autoload.php';

    function work(): void
    {
        $redis = new Redis();
        $redis->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));
        $factory = new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\RedisStore($redis, 2.0));
        for ($round = 0; $round < 2; ++$round) {
            $lock = $factory->createLock('jobs', 2.0);
            $lock->acquire(true);
            usleep(300000);
            $lock->release();
        }
    }

    $child = pcntl_fork();
    work();
    if ($child > 0) {
        pcntl_waitpid($child, $status);
    }
}
