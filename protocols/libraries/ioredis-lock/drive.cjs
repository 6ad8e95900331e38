// Two clients with one lock object each take the same key twice, work for 300 ms, and release it.
const Redis = require('ioredis');
const { createLock } = require('ioredis-lock');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const lock = createLock(client, { timeout: 2000, retries: 2, delay: 1000 });
  for (let round = 0; round < 2; round++) {
    try {
      await lock.acquire('jobs');
    } catch (error) {
      console.error(error.message);
      continue;
    }
    await pause(300);
    await lock.release();
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
