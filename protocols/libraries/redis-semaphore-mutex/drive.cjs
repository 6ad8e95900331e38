// Two clients take the same mutex twice, work for longer than it takes to refresh it, and release it.
const { default: Redis } = require('ioredis');
const { Mutex } = require('redis-semaphore');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const mutex = new Mutex(client, 'jobs', { lockTimeout: 1000, acquireTimeout: 3000, retryInterval: 1000 });
  for (let round = 0; round < 2; round++) {
    await mutex.acquire();
    await pause(900);
    await mutex.release();
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
