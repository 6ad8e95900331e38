// Two clients run a function with the same mutex twice, for longer than it takes to renew it.
const redis = require('redis');
const { runWithMutex } = require('redis-mutex');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(redisClient) {
  const settings = {
    redisClient, key: 'jobs', intervalTime: 1000, renewTime: 500, maxTime: 60000, attempts: 0, attemptInterval: 1000,
  };
  for (let round = 0; round < 2; round++) await runWithMutex(settings, () => pause(700));
}

const clients = [1, 2].map(() => redis.createClient(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.quit()));
