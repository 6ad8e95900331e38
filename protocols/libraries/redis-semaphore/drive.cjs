// Two clients take a semaphore's only permit twice, work for longer than it takes to refresh it, and release it.
const { default: Redis } = require('ioredis');
const { Semaphore } = require('redis-semaphore');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const settings = { lockTimeout: 1000, acquireTimeout: 3000, retryInterval: 1000 };
  const semaphore = new Semaphore(client, 'jobs', 1, settings);
  for (let round = 0; round < 2; round++) {
    await semaphore.acquire();
    await pause(900);
    await semaphore.release();
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
