<?php
// Two processes block() for the same lock of the cache twice, work for 300 ms, and release it.
require '/usr/share/php/Illuminate/Cache/autoload.php';

function work(): void
{
    $server = ['host' => getenv('REDIS_HOST'), 'port' => (int) getenv('REDIS_PORT')];
    $redis = new Illuminate\Redis\RedisManager(null, 'phpredis', ['default' => $server]);
    $cache = new Illuminate\Cache\RedisStore($redis, 'laravel_cache');
    for ($round = 0; $round < 2; ++$round) {
        $lock = $cache->lock('jobs', 2);
        $lock->block(5);
        usleep(300000);
        $lock->release();
    }
}

$child = pcntl_fork();
work();
if ($child > 0) {
    pcntl_waitpid($child, $status);
}
